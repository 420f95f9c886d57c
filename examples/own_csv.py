"""From your own file to a page in the browser. Without a file, the sample graph is written as an untidy one."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pulink


def untidy(path: Path) -> Path:
    """An edge list as they come: repeated and reversed rows, a loop, a column that nobody needs."""
    graph = pulink.load("sample")
    rows = [(graph.names[i], graph.names[j]) for i, j in graph.edges.tolist()]
    rows += [(b, a) for a, b in rows[:50]] + rows[:20] + [(rows[0][0], rows[0][0])]
    path.write_text("package,other,seen\n" + "".join(f"{a},{b},2023\n" for a, b in rows))
    return path


def main(method: str = "pull-plus", file: str | None = None) -> None:
    folder = Path(tempfile.mkdtemp(prefix="pulink-"))
    edges = untidy(folder / "edges.csv") if file is None else Path(file)
    command = ["find", str(edges), "--method", method, "--top", "200", "--out", str(folder / "found")]
    subprocess.run([sys.executable, "-m", "pulink", *command, "--quiet"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    print((folder / "found" / "missing_links.csv").read_text().split("\n")[1])
    print(f"open {folder / 'found' / 'report.html'}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
