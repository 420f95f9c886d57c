"""What can be asked of a review and its model, by pages and by the API alike: plain values in, plain JSON out.

Every question goes to one worker, so that any thread may ask. The worker itself is not waited for by itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pulink.errors import InputError
from pulink.serve.content.answers import Answers, AnswersQuery
from pulink.serve.content.estimates import Estimates
from pulink.serve.content.exports import export
from pulink.serve.content.links import Links, LinksQuery
from pulink.serve.content.nodes import Node, Nodes
from pulink.serve.content.pairs import Pairs, answer_values
from pulink.serve.fitting import FAILED, FITTING, READY, WAITING, Progress, fit
from pulink.serve.refusals import Refused
from pulink.serve.settings import RunSource, ServeSettings
from pulink.serve.worker import QUICK, SLOW, Worker
from pulink.system.files import read_regular
from pulink.text import short_path
from pulink.workflows.review.session import ReviewSession, open_review

Value = TypeVar("Value")

_MOST_OF_RUN = 50_000_000


class Content:
    """One open review, and what it says."""

    def __init__(self, session: ReviewSession, controls: bool) -> None:
        self.session = session
        self.nodes = Nodes(session.graph)
        self.estimates = Estimates(session)
        self.links = Links(session, self.nodes, self.estimates)
        self.pairs = Pairs(session, self.nodes, self.estimates)
        self.answers = Answers(session, self.nodes, self.pairs, self.estimates, controls)


class Explore:
    """One run that is explored.

    Parameters
    ----------
    source : RunSource
        The folder with results; or what is fitted into it.
    settings : ServeSettings
        Whether anything may be written, and who answers.

    Raises
    ------
    InputError
        If the folder holds nothing to review, and nothing is to be fitted.
    """

    def __init__(self, source: RunSource, settings: ServeSettings) -> None:
        self.source, self.read_only, self.reviewer = source, settings.read_only, settings.reviewer
        self._controls = settings.controls
        self.run: dict[str, Any] = {}
        self._content: Content | None = None
        if source.fit is None:
            self._open()
        self.progress = Progress(READY if source.fit is None else WAITING)
        self.worker = Worker(settings.waiting)

    def _open(self) -> None:
        session = open_review(self.source.folder, seed=self.source.seed, read_only=self.read_only)
        file = self.source.folder / "run.json"
        try:
            run = json.loads(read_regular(file, _MOST_OF_RUN, links=True))
            self.run = run if isinstance(run["graph"], dict) and isinstance(run["headline"], dict) else {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            session.close()
            raise InputError(f"{short_path(file)}: cannot be read as what find wrote") from error
        self._content = Content(session, self._controls)

    @property
    def session(self) -> ReviewSession | None:
        """None until a fit is done."""
        return None if self._content is None else self._content.session

    @property
    def state(self) -> str:
        """ready, fitting, failed, or waiting for the fit to be started."""
        return self.progress.state

    @property
    def title(self) -> str:
        """What the pages are headed by."""
        edges = self.run.get("settings", {}).get("edges") if self.source.fit is None else self.source.fit.edges
        return f"Missing links of {edges}"

    def check_ready(self) -> Content:
        """What is open; 503 while a fit is not done, for which nobody waits."""
        if self._content is None:
            raise Refused(503, "there are no results yet: the fit is not done")
        return self._content

    def _ask(self, compute: Callable[[Content], Value], urgency: int = SLOW) -> Value:
        content = self.check_ready()
        return self.worker.run(lambda: compute(content), urgency)

    def warm(self) -> None:
        """Have searched for what the first requests need, while nobody waits."""
        if (content := self._content) is not None:
            self.worker.submit(lambda: content.links.frame.height)

    def overview(self) -> dict[str, Any]:
        """The JSON of GET /api/run."""
        graph = self.run.get("graph", {})
        counts = {"asked": 0, "answered": 0, "goal": 50}
        if self._content is not None:
            counts = self._ask(lambda content: content.answers.counts(), QUICK)
        return {
            "title": self.title,
            "kind": graph.get("kind"),
            "ends": graph.get("ends"),
            "n_nodes": graph.get("n_nodes"),
            "n_edges": graph.get("n_edges"),
            "headline": self.run.get("headline"),
            "missing": self.run.get("missing"),
            "read_only": self.read_only,
            "reviewer": self.reviewer,
            "state": self.state,
            "message": self.progress.message or None,
            "questions": counts,
        }

    def links(self, query: LinksQuery) -> dict[str, Any]:
        """The JSON of GET /api/links."""
        return self._ask(lambda content: content.links.page(query))

    def links_json(self, query: LinksQuery) -> bytes:
        """The same, written down: much faster for long pages."""
        return self._ask(lambda content: content.links.page_json(query))

    def pair(self, source: Node, target: Node, reveal: bool = False) -> dict[str, Any]:
        """The JSON of GET /api/pairs."""
        return self._ask(lambda content: content.pairs.pair(source, target, reveal))

    def node(self, name: Node) -> dict[str, Any]:
        """The JSON of GET /api/nodes/one."""
        return self._ask(lambda content: content.pairs.node(name))

    def search(self, text: str, size: int = 20) -> dict[str, Any]:
        """The JSON of GET /api/nodes."""
        return self._ask(lambda content: {"nodes": content.nodes.search(text, size)})

    def next_question(self, reviewer: str, client: str, second_opinion: bool = False) -> dict[str, Any]:
        """The JSON of GET /api/questions/next; nobody else is asked the same for some minutes."""
        self._check_writable()
        return self._ask(lambda content: content.answers.next_question(reviewer, client, second_opinion), QUICK)

    def write_answer(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """Keep an answer: as JSON, and whether it is a new one."""
        self._check_writable()
        row, is_new = self._ask(lambda content: content.answers.write(given), QUICK)
        return answer_values(row) | {"key": row.key}, is_new

    def answer(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON of POST /api/answers."""
        kept, _ = self.write_answer(given)
        return {"answer": kept, "estimate": self.estimate()}

    def _check_writable(self) -> None:
        if self.read_only:
            raise Refused(403, "this is read-only: nothing is asked and nothing is written")

    def answers(self, query: AnswersQuery) -> dict[str, Any]:
        """The JSON of GET /api/answers."""
        return self._ask(lambda content: content.answers.page(query))

    def estimate(self) -> dict[str, Any]:
        """The JSON of GET /api/estimate."""
        return self._ask(lambda content: content.estimates.estimate())

    def certificate(self, level: float) -> dict[str, Any]:
        """The JSON of GET /api/certificate."""
        return self._ask(lambda content: content.estimates.certificate(level))

    def score(self, pairs: Sequence[Sequence[Node]]) -> dict[str, Any]:
        """The JSON of POST /api/score."""
        return self._ask(lambda content: content.pairs.score(pairs))

    def suggest(self, node: Node, top: int = 10) -> dict[str, Any]:
        """The JSON of GET /api/suggest."""
        return self._ask(lambda content: content.pairs.suggest(node, top))

    def explain(self, source: Node, target: Node) -> dict[str, Any]:
        """The JSON of GET /api/explain."""
        return self._ask(lambda content: content.pairs.explain(source, target))

    def export(self, kind: str, level: float = 0.1) -> str:
        """A file as CSV: reviews, accepted, absent or certified."""
        return self._ask(lambda content: export(content.session, content.links, kind, level))

    def start_fit(self) -> dict[str, Any]:
        """Start the fit that was named on the command line; 409 if there is none, or it is under way or done."""
        self._check_writable()
        if self.source.fit is None:
            raise Refused(409, "no fit was named on the command line")
        if self.state in (FITTING, READY):
            raise Refused(409, "the fit is under way" if self.state == FITTING else "the fit is done")
        assert self.state in (WAITING, FAILED)
        self.progress = Progress(FITTING)
        progress = self.progress
        self.worker.submit(lambda: fit(self.source, progress, self._open))
        return {"state": FITTING}

    def close(self) -> None:
        """Let no more come, and let the ledger go."""
        self.progress.stop()
        if self.worker.close() and self._content is not None:
            self._content.session.close()
