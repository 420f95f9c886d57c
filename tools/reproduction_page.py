"""docs/reproduction.md: what was found, in words (results/findings.md), then tables and figures of results/."""

from __future__ import annotations

from pathlib import Path

from pulink.experiments.results import Results
from pulink.experiments.spec import experiments
from pulink.report.reproduction.markdown import to_markdown
from pulink.report.reproduction.write import make_report
from pulink.system.files import write_atomically

ROOT = Path(__file__).parent.parent


def main() -> None:
    document, _ = make_report(Results(ROOT / "results"), experiments().values())
    title, tables = to_markdown(document).split("\n", 1)
    findings = (ROOT / "results" / "findings.md").read_text(encoding="utf-8").strip()
    write_atomically(ROOT / "docs" / "reproduction.md", f"{title}\n\n{findings}\n{tables}")
    for picture in document.pictures:
        write_atomically(ROOT / "docs" / picture.name, picture.light)


if __name__ == "__main__":
    main()
