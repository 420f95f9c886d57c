"""What README and docs promise: their Python runs, their links lead somewhere, their commands and names exist."""

import importlib
import importlib.util
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pulink
from tests.support.command import call

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "src").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
    ],
    key=str,
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, code = blocks(ROOT / "README.md", "python")
    assert "pulink.PULLPlus(seed=0)" in code
    brief = code.replace("PULLPlus(seed=0)", "PULLPlus(seed=0, max_folds=1, n_epochs=5, n_trees=10, max_rounds=0)")
    names: dict[str, object] = {}
    exec(brief, names)  # noqa: S102 (our own README)
    assert isinstance(names["model"], pulink.PULLPlus)
    assert names["model"].missing_links(10).height == 10


@pytest.mark.parametrize(
    "settings", [", max_folds=1, n_epochs=5, n_trees=10, max_rounds=0", pytest.param("", marks=pytest.mark.slow)]
)
def test_the_readme_finds_links_of_a_frame_in_five_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted_csv: Path, settings: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(planted_csv, "edges.csv")
    code, _ = blocks(ROOT / "README.md", "python")
    lines = [line for line in code.splitlines() if line and not line.startswith("import ")]
    assert len(lines) <= 5
    assert "top=20" in code
    brief = code.replace("top=20", f"top=20{settings}")
    names: dict[str, Any] = {}
    exec(brief, names)  # noqa: S102 (our own README)
    assert isinstance(names["result"].links, pl.DataFrame)
    assert len(names["result"].links) == 20
    assert (tmp_path / "results" / "missing_links.csv").is_file()


def test_the_shell_commands_and_options_exist() -> None:
    helps: dict[str, str] = {}
    for line in "".join(blocks(ROOT / "README.md", "sh")).splitlines():
        words = shlex.split(line.partition("|")[2] if "| pulink" in line else line, comments=True)
        if not words or words[0] != "pulink":
            continue
        if words[1] not in helps:
            helps[words[1]] = call(words[1], "--help").out
        for option in (word for word in words if word.startswith("--")):
            assert option in helps[words[1]], line
    assert {"find", "evaluate", "methods", "datasets"} <= set(helps)


def resolved(place: str) -> object:
    """What a dotted name below `pulink` stands for; ModuleNotFoundError if for nothing."""
    found: object = pulink
    path = "pulink"
    for name in place.split("."):
        path += f".{name}"
        found = getattr(found, name) if hasattr(found, name) else importlib.import_module(path)
    return found


# The changelog also names what is gone.
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name
)
def test_dotted_names_that_a_page_names_exist(page: Path) -> None:
    # Not of graph and data, which are also what examples call a graph and its data.
    rooms = "|".join(sorted({path.name for path in (ROOT / "src/pulink").iterdir()} - {"graph", "data"}))
    for place in set(re.findall(rf"`(?:pulink\.|(?=(?:{rooms})\.))((?:\w+\.)*\w+)", page.read_text())):
        if not place.endswith((".py", ".toml", ".json", ".md")):
            resolved(place)


def test_the_paper_page_says_where_equations_live() -> None:
    text = (ROOT / "docs" / "paper.md").read_text()
    assert len(set(re.findall(r"`((?:engine|nn|methods)\.[\w.]+)`", text))) >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    folders = ROOT, ROOT / "src" / "pulink", page.parent
    named = re.findall(r"`([\w.*-]+(?:/[\w.*-]+)+(?:\.(?:py|toml|md|css|js)|costs\.json))`", page.read_text())
    named += re.findall(
        r"`((?:src|tests|tools|docs|benchmarks|torture|examples)(?:/[\w.*-]+)*/?)`", page.read_text()
    )
    gone = [path for path in named if not any(any(folder.glob(path)) for folder in folders)]
    assert gone == [], f"{page.name} names files that are not there"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_that_a_page_names_exist(page: Path) -> None:
    for module in set(re.findall(r"python -m ([\w.]+)", page.read_text())):
        assert importlib.util.find_spec(module) is not None, f"{page.name}: python -m {module}"


def test_every_method_is_described() -> None:
    described = set(re.findall(r"`([a-z0-9+-]+)`", (ROOT / "docs" / "methods.md").read_text()))
    missing = sorted(set(pulink.METHODS) - described)
    assert missing == [], (
        "docs/methods.md does not say what these methods are: add a row to the table of their kind"
    )


def test_make_targets_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for target in re.findall(r"`?make ([a-z][a-z-]*)`", page.read_text()):
            assert target in targets, f"{page.name}: make {target}"
