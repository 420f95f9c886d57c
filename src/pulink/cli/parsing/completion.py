"""What a shell offers after Tab: methods, groups, datasets, files. Nothing heavy is loaded for it."""

from __future__ import annotations

from pathlib import Path

from pulink.workflows.formats.choice import LINK_FORMATS, TABLE_FORMATS

# As `pulink.methods.pull_plus.effort` has them, which takes a second to load.
EFFORTS = ("fast", "normal", "high")


def method_names_from(incomplete: str) -> list[str]:
    """Names of methods.

    >>> from pulink.cli.parsing.completion import method_names_from
    >>> method_names_from("pull-p")
    ['pull-plus']
    """
    from pulink.methods.registry import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


def group_names(incomplete: str) -> list[str]:
    """Names of methods and groups, the last of several between commas.

    >>> from pulink.cli.parsing.completion import group_names
    >>> group_names("l3n,heu")
    ['l3n,heuristics']
    """
    from pulink.methods.registry import GROUPS

    before, comma, last = incomplete.rpartition(",")
    names = [*method_names_from(last), *(name for name in GROUPS if name.startswith(last))]
    return [f"{before}{comma}{name}" for name in names]


def effort_names(incomplete: str) -> list[str]:
    """How much work a method may take upon itself.

    >>> from pulink.cli.parsing.completion import effort_names
    >>> effort_names("f")
    ['fast']
    """
    return [name for name in EFFORTS if name.startswith(incomplete)]


def cluster_addresses(incomplete: str) -> list[str]:
    """Addresses of clusters, or how they begin.

    >>> from pulink.cli.parsing.completion import cluster_addresses
    >>> cluster_addresses("a")
    ['auto']
    """
    return [address for address in ("local:2", "local:4", "auto", "ray://") if address.startswith(incomplete)]


def link_formats(incomplete: str) -> list[str]:
    """Formats of lists of links.

    >>> from pulink.cli.parsing.completion import link_formats
    >>> link_formats("js")
    ['json', 'jsonl']
    """
    return [name for name in LINK_FORMATS if name.startswith(incomplete)]


def table_formats(incomplete: str) -> list[str]:
    """Formats of other tables."""
    return [name for name in TABLE_FORMATS if name.startswith(incomplete)]


def document_names(incomplete: str) -> list[str]:
    """Names of JSON documents that have a schema."""
    from pulink.workflows.formats.documents import DOCUMENTS

    return [name for name in DOCUMENTS if name.startswith(incomplete)]


def dataset_names(incomplete: str) -> list[str]:
    """Names of datasets, and files."""
    from pulink.data.catalog import datasets

    return [*(name for name in datasets() if name.startswith(incomplete)), *_files(incomplete)]


def _files(incomplete: str) -> list[str]:
    """As the shell itself would: it offers none where a command offers names."""
    folder, slash, start = incomplete.rpartition("/")
    try:
        found = sorted(Path(f"{folder}{slash}" or ".").iterdir())
    except OSError:
        return []
    hidden = start.startswith(".")
    return [
        f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in found
        if path.name.startswith(start) and (hidden or not path.name.startswith("."))
    ]
