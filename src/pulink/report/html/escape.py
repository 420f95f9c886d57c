"""Text of other people's files, and numbers, as HTML that shows what is there.

Characters that cannot be seen or that reorder their surroundings are written as their code, so that two names that
look alike are alike and no name can rearrange a line.
"""

from __future__ import annotations

import re
from html import escape

# Controls, soft hyphen, marks and overrides of direction, zero-width spaces, line separators, annotation and tag
# characters, surrogates. The two joiners stay: Persian, Hindi and emoji are spelled with them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """With unseen characters as `\\u202E`; not yet HTML."""
    return _UNSEEN.sub(lambda found: code_of(found[0]), text)


def flat(text: str) -> str:
    """As HTML without elements, for titles and for SVG, where a <code> would end the picture."""
    return escape(plain(text))


def shown(text: str) -> str:
    """As HTML; codes of unseen characters look different from letters that happen to spell a code."""
    parts, end = [], 0
    for found in _UNSEEN.finditer(text):
        parts += [escape(text[end : found.start()]), f"<code>{code_of(found[0])}</code>"]
        end = found.end()
    return "".join([*parts, escape(text[end:])])


def named(text: str) -> str:
    """A name, which has its own direction and cannot change its neighbours'."""
    return f"<bdi>{shown(text)}</bdi>"


def code_of(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"


def per_cent(share: float) -> str:
    """`98.7%`; small ones keep two digits, and what is not certain is never 100%."""
    value = 100 * share
    if 99.95 <= value < 100:
        return "over 99.9%"
    if value >= 1 or value == 0:
        return f"{value:.1f}%"
    return f"{value:.2g}%" if value >= 0.001 else "under 0.001%"


def rounded(share: float) -> str:
    """`71%`, `0.4%`, `< 0.1%` as HTML: as many digits as can be known."""
    value = 100 * share
    if value == 0:
        return "0%"
    if value < 0.095:
        return "&lt; 0.1%"
    if value < 0.95:
        return f"{value:.1f}%"
    return "&gt; 99%" if 99.5 <= value < 100 else f"{value:.0f}%"


def number(value: float) -> str:
    """`12,000`, `0.25`, `3e-07`."""
    if value == round(value) and abs(value) < 1e12:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.1f}"
