"""pulink versions and pulink cite: what is installed, and what to cite."""

from __future__ import annotations

from importlib.metadata import version

from pulink.cli.parsing import options
from pulink.cli.terminal.console import Screen, emit

# As CITATION.cff has it; {PU} keeps its capitals in every style.
_PAPER = """@inproceedings{kim2025pull,
  title     = {Accurate Link Prediction for Edge-Incomplete Graphs via {PU} Learning},
  author    = {Kim, Junghun and Park, Ka Hyun and Yoon, Hoyoung and Kang, U},
  booktitle = {Proceedings of the {AAAI} Conference on Artificial Intelligence},
  year      = {2025}
}
"""
_SOFTWARE = """@misc{{pulink,
  title  = {{pulink: finding the missing links of a graph}},
  author = {{{{The pulink developers}}}},
  note   = {{Version {version}}}
}}
"""


def versions(quiet: options.Quiet = False, as_json: options.Json = False) -> None:
    """Say what is installed: pulink, Python, libraries, the system; to put into a report of a problem."""
    from pulink.workflows.formats.documents import document
    from pulink.workflows.installation import installation, installation_rows

    screen = Screen(quiet)
    if as_json:
        screen.json(document(installation()))
        return
    screen.table("Installed", ["what", "version"], installation_rows(), set())


def cite() -> None:
    """Print what to cite, as BibTeX: the paper that pulink implements, and pulink itself."""
    emit(bibtex())


def bibtex() -> str:
    """Both entries.

    >>> from pulink.cli.about import bibtex
    >>> bibtex().splitlines()[0]
    '@inproceedings{kim2025pull,'
    """
    return f"{_PAPER}\n{_SOFTWARE.format(version=version('pulink'))}"
