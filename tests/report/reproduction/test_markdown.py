"""Markdown: golden pieces, and text that cannot break out of its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pulink.report.reproduction.document import Bullets, Document, Fold, Grid, Line, Picture, Section, Text, box
from pulink.report.reproduction.markdown import to_markdown
from pulink.report.reproduction.table_section import table_section
from pulink.report.reproduction.tables import make_table
from tests.support.made_up_runs import Store, experiment

MINUS = "\N{MINUS SIGN}"


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    store = Store(tmp_path, experiment())
    store.put("pull", "sample", [97.0, 97.1, 97.2, 97.3, 97.4, 97.5])
    store.put("gcn-ce", "sample", [95.5, 95.3])
    store.put("ness", "sample", [98.0]).fail("ness", "sample", [1, 2], "a | b")
    store.fail("gae", "sample", [0], "no <memory>")
    section = table_section(make_table(store.results, store.experiment))
    return to_markdown(Document("Title", (section,))).splitlines()


def test_the_table_in_the_papers_shape(lines: list[str]) -> None:
    start = lines.index("**AUROC, with processor seconds and memory**")
    assert lines[start + 2 : start + 6] == [
        "| method | sample | chameleon | ogbn-arxiv<br><sub>not run</sub> |",
        "| --- | ---: | ---: | ---: |",
        f"| gcn-ce | 95.40 ± 0.14<br><sub>paper 96.00 ± 0.30</sub><br><sub>{MINUS}0.60, inside</sub>"
        "<br><sub>2 of 6 seeds, 10 s, 501 MB</sub> | - | <sub>not run</sub> |",
        r"| gae | failed \[1\] | - | <sub>not run</sub> |",
    ]
    assert lines[start + 6].startswith(r"| ness | **98.00 \[2\]**<br><sub>1 of 6 seeds, 10 s, 500 MB</sub> |")
    assert lines[start + 7] == (
        "| pull | <u>97.25 ± 0.19</u><br><sub>paper 97.00 ± 0.40</sub><br><sub>+0.25, inside</sub>"
        "<br><sub>6 seeds, 12 s, 505 MB</sub> | - | <sub>not run</sub><br><sub>paper 86.46 ± 0.04</sub> |"
    )


def test_the_notes_say_what_stands_for_what_and_what_failed(lines: list[str]) -> None:
    start = lines.index("- sample: as it ships.")
    assert lines[start : start + 4] == [
        "- sample: as it ships.",
        "- ogbn-arxiv is not run: not at hand.",
        r"- \[1\] gae on sample failed: no &lt;memory&gt; (seed 0)",
        r"- \[2\] ness on sample failed: a \| b (seeds 1 and 2)",
    ]
    assert (
        "10% of the edges are hidden for the test and 10% for validation; 6 seeds planned. "
        "9 of 60 runs are finished, 3 failed." in lines
    )


def test_pulls_lead_and_the_details_of_a_dataset(lines: list[str]) -> None:
    lead = lines.index("**PULL's lead, AUROC**")
    assert lines[lead + 4] == "| gcn-ce | +1.65, ahead in 2 of 2<br><sub>fewer than 5 pairs</sub> | - |"
    (row,) = [line for line in lines if line.startswith("| pull | 6 of 6 |")]
    assert row == (
        "| pull | 6 of 6 | <u>97.25 ± 0.19</u> | 97.00 ± 0.40 | +0.25, inside |  |  "
        "| <u>87.25 ± 0.19</u> | - | - |  |  | 800 | 12 s | 505 MB |"
    )


def test_what_was_searched_is_said_where_it_differs(tmp_path: Path) -> None:
    own = experiment(measures=["auroc", "precision_at_k"], expected={})
    store = Store(tmp_path, own).put("pull", "sample", [97.0], searched="all pairs", precision_at_k=0.5)
    one = to_markdown(Document("T", (table_section(make_table(store.results, own)),)))
    assert "- Searched for Precision@K: all pairs.\n" in one
    store.put("gae", "sample", [96.0, 96.0], searched="pairs two steps apart", precision_at_k=0.25)
    two = to_markdown(Document("T", (table_section(make_table(store.results, own)),)))
    assert "- Searched for Precision@K by gae on sample: pairs two steps apart.\n" in two
    assert "- Searched for Precision@K by pull on sample: all pairs.\n" in two
    assert "| **50.00** |" in two


def test_every_kind_of_block() -> None:
    grid = Grid("Cap", (box("a"), box("b")), ((box("x"), (Line("1", "best"), Line("2", "small outside"))),))
    blocks = (
        Text("Words."),
        Bullets(("one", "two")),
        Picture("p.png", "Seen", "Said", b"", b""),
        Fold("More", (grid,)),
    )
    assert to_markdown(Document("T", (Section("s", "S", blocks),))) == (
        '# T\n\n<a id="s"></a>\n\n## S\n\nWords.\n\n- one\n- two\n\n![Seen](p.png)\n\nSaid\n\n'
        "<details><summary>More</summary>\n\n**Cap**\n\n| a | b |\n| --- | ---: |\n"
        "| x | **1**<br><sub>2</sub> |\n\n</details>\n"
    )


def test_hostile_text_stays_text() -> None:
    text = "a | b\n## no heading <img src=x> *not bold* `code` [link](x) &amp;"
    made = to_markdown(Document("T", (Section("s", "S", (Text(text),)),)))
    assert made.splitlines()[-1] == (
        r"a \| b \#\# no heading &lt;img src=x&gt; \*not bold\* \`code\` \[link\](x) &amp;amp;"
    )
