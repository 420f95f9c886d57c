"""One HTML file that needs nothing else and obeys nobody.

Only the one style and the one script whose hashes stand in the page's policy take effect; neither is made from
data. Equal data gives equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

from pulink.report.html.escape import flat, shown
from pulink.report.html.style import STYLE


@dataclass(frozen=True)
class Assets:
    """A style and a script that are parts of the package."""

    style: str = ""
    script: str = ""

    @classmethod
    def packaged(cls, package: str, *names: str) -> Assets:
        """Files of a package's folder `assets`, in this order."""
        folder = files(package).joinpath("assets")
        texts = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in names}
        style, script = (
            "".join(text for name, text in texts.items() if name.endswith(end)) for end in (".css", ".js")
        )
        return cls(style, script)


def offline_page(title: str, sections: Iterable[str], more: Assets | None = None) -> str:
    """The page as text, to be written as UTF-8; the title is data, sections are HTML, empty ones are left out.

    more  what this kind of page needs besides what every page has
    """
    more = more or Assets()
    style = STYLE + _packaged("page.css") + more.style
    script = _packaged("page.js") + more.script
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{flat(title)}</title>",
            f"<style>{style}</style>",
            f"<script>{script}</script>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{shown(title)}</h1>",
            *(section for section in sections if section),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def policy(style: str, *scripts: str) -> str:
    """Nothing is loaded, sent or run but this style and these scripts."""
    digests = " ".join(_digest(script) for script in scripts)
    sources = f"style-src {_digest(style)}; script-src {digests}"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _packaged(name: str) -> str:
    return files("pulink.report.html").joinpath(name).read_text(encoding="utf-8")
