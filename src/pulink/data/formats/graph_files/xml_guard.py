"""XML of unknown origin on expat: no entities, no grammars, nothing fetched, and not nested without end."""

from __future__ import annotations

import re
from typing import Any
from xml.parsers import expat

from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.limits import MAX_DEPTH
from pulink.errors import InputError
from pulink.text import reason

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[^#]")


class GuardedElements:
    """Elements of XML as they come, by their names without a namespace; what extends it fills `content`."""

    def __init__(self, content: GraphContent, data: bytes) -> None:
        self.content = content
        self.parser: Any = expat.ParserCreate()
        self._data = data
        self._depth = 0

    def opened(self, tag: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def closed(self, tag: str) -> None:
        raise NotImplementedError

    def characters(self, text: str) -> None:
        """Text between elements; to be overridden where it means something."""

    @property
    def line(self) -> int:
        return int(self.parser.CurrentLineNumber)

    def read(self) -> None:
        """All of it, or one line that says what is wrong where."""
        parser, where = self.parser, self.content.where
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self._refuse_unread_entities
        for kind in ("EntityDeclHandler", "AttlistDeclHandler", "ElementDeclHandler", "NotationDeclHandler"):
            setattr(parser, kind, self._refuse_declaration)
        parser.buffer_text = True
        try:
            parser.Parse(self._data, True)
        except InputError:
            raise
        except expat.ExpatError as error:
            message = expat.errors.messages[error.code]
            raise InputError(f"{where}, line {error.lineno}: not well-formed XML ({message})") from error
        except (LookupError, ValueError) as error:
            raise InputError(f"{where}, line 1: {reason(error)}; save it as UTF-8") from error

    def need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        """An attribute that an element cannot do without."""
        value = attributes.get(name, "")
        if not value.strip():
            raise self.fail(f"<{tag}> has no {name}")
        return self.content.checked_name(value, f"the {name} of <{tag}>", self.line)

    def fail(self, problem: str) -> InputError:
        return self.content.fail(problem, self.line)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.fail(f"more than {MAX_DEPTH:,} elements inside one another")
        self.opened(tag.rpartition(":")[2], attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self.closed(tag.rpartition(":")[2])

    def _refuse_declaration(self, *_: object) -> None:
        raise self.fail("declares an XML entity or grammar; neither is allowed")

    def _refuse_unread_entities(self, _: str, system: str | None, *__: object) -> None:
        """Entities that a file elsewhere would declare vanish without a word, as nothing elsewhere is read."""
        if system is not None and _ENTITY.search(self._data.replace(b"\0", b"")):
            raise self.fail("uses entities of another file; entities are not allowed")
