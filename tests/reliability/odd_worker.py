"""A process that is asked to misbehave."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from torture.asked_process import answer_all


def behave(asked: dict[str, Any]) -> tuple[str, str]:
    match asked["how"]:
        case "sleep":
            time.sleep(60)
        case "die":
            os._exit(7)
        case "shout":
            sys.stderr.write("Panic!\n")
            sys.stderr.flush()
        case "child":
            subprocess.run([sys.executable, "-c", f"'x' * {asked['bytes']}"], check=True)
    return "read", asked["how"]


if __name__ == "__main__":
    answer_all(behave)
