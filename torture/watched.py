"""A process that runs commands of pulink and writes down everything Python is asked to do with files and networks.

    python -m torture.watched LOG '[["find", "edges.csv"], ["methods"]]'

One line of JSON per event in LOG: {"event": ..., "paths": [...], "words": ...}.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# How many of an event's first arguments are paths, and which argument is the folder they may be relative to.
CHANGES = {
    "os.chmod": (1, 2), "os.chown": (1, 3), "os.link": (2, 2), "os.mkdir": (1, 2), "os.remove": (1, 1),
    "os.rename": (2, 2), "os.rmdir": (1, 1), "os.symlink": (2, 2), "os.truncate": (1, None), "os.utime": (1, 3),
    "os.setxattr": (1, None), "sqlite3.connect": (1, None),
}  # fmt: skip
NETWORK = (
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request", "http.client.connect", "ftplib.connect",
    "smtplib.connect",
)  # fmt: skip
PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty")


def watch(log: int) -> None:
    """From now on, for good: a hook cannot be taken away again."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        record = _record(event, arguments)
        if record is not None:
            os.write(log, (json.dumps(record) + "\n").encode())

    sys.addaudithook(hook)


def _record(event: str, arguments: tuple[Any, ...]) -> dict[str, Any] | None:
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
        # A handle that is open already was opened, and written down, before.
        paths = [] if isinstance(arguments[0], int) else [_path(arguments[0], -1)]
        # Only a file without a name, which leaves nothing behind, is written by opening a folder.
        is_unnamed = any(Path(path).is_dir() for path in paths)
        return {"event": event, "paths": paths, "words": "unnamed" if is_unnamed else ""}
    if event in CHANGES:
        n_paths, place = CHANGES[event]
        folder = -1 if place is None else arguments[place]
        paths = [_path(one, folder) for one in arguments[:n_paths]]
        # Making a folder that is there changes nothing.
        return (
            None
            if event == "os.mkdir" and Path(paths[0]).is_dir()
            else {"event": event, "paths": paths, "words": ""}
        )
    if event in NETWORK or event in PROGRAMS:
        return {"event": event, "paths": [], "words": repr(arguments)[:300]}
    return None


def _path(given: Any, folder: int) -> str:
    if isinstance(given, int):
        return str(Path(f"/proc/self/fd/{given}").readlink())
    base = Path.cwd() if folder == -1 else Path(f"/proc/self/fd/{folder}").readlink()
    return str(base / os.fsdecode(given))


def main() -> int:
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    commands = json.loads(sys.argv[2])
    watch(log)
    from pulink.cli.app import main as run

    for command in commands:
        sys.argv = ["pulink", *command]
        try:
            run()
        except SystemExit as end:
            if end.code not in (None, 0):
                return int(str(end.code))
    return 0


if __name__ == "__main__":
    sys.exit(main())
