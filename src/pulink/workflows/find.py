"""`find`: the missing links of a graph, with all that a reader needs to judge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from inspect import signature
from pathlib import Path
from typing import Any

from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.engine.pace import listening
from pulink.engine.threads import thread_count
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.methods.effort import with_effort
from pulink.methods.registry import method as method_by_name
from pulink.persistence.checkpoints import Checkpoints
from pulink.predictor.fitting.fit_run import ProgressFunction
from pulink.predictor.fitting.progress_bar import FitLine
from pulink.predictor.fitting.stage_steps import StageSteps
from pulink.predictor.predictor import LinkPredictor, checkpoints_of
from pulink.system.log import timed
from pulink.workflows.finding.keywords import refuse_unknown
from pulink.workflows.finding.request import USUAL_METHOD, FindRequest
from pulink.workflows.finding.result import FindResult
from pulink.workflows.graph_source import open_graph
from pulink.workflows.link_query import LinkQuery
from pulink.workflows.listener import Listener, Reporter
from pulink.workflows.review.flow_back import FlowBack, flow_back
from pulink.workflows.second_estimate import second_estimate
from pulink.workflows.words import messages
from pulink.workflows.words.expected_cost import expected_cost
from pulink.workflows.words.headline import headline


def find(
    edges: Any,
    nodes: Any = None,
    top: int | None = None,
    *,
    method: str = USUAL_METHOD,
    effort: str | None = None,
    min_probability: float = 0.0,
    fdr: float | None = None,
    per_node: int | None = None,
    missing_share: float | None = None,
    known_absent: Any = None,
    reviews: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | ProgressFunction | None = None,
    checkpoints: str | Path | Checkpoints | None = None,
    callbacks: Iterable[object] | None = None,
    listener: Listener | None = None,
    cluster: str | None = None,
    out: str | Path | None = None,
    **settings: Any,
) -> FindResult:
    """Find the pairs that are most likely connected although nobody recorded it.

    Some edges are hidden to train and test the model; then it is trained again on every edge, and the unconnected
    pairs are searched for the likeliest links. The command `pulink find` does the same.

    Parameters
    ----------
    edges : str, Path, frame, array, list or graph
        A file, "-" for standard input, a dataset's name, a polars or pandas frame, an m x 2 array or a list of
        pairs (of names, or of whole numbers as names), a pulink or NetworkX graph, a SciPy matrix or a PyG Data
        object.
    nodes : str, Path or frame, optional
        The nodes' attributes, a row per node.
    top : int, optional
        How many links to return: 100, and with `fdr` or `per_node` as many as there are.
    method : str
        See `pulink.METHODS`.
    effort : str, optional
        "fast", "normal" or "high": how much work PULL+ takes upon itself; other methods have no such setting.
    min_probability : float
        Leave out links below this probability.
    fdr : float, optional
        Return the longest list of which less than this share is expected to be false.
    per_node : int, optional
        Return so many links for every node, instead of the best of all.
    missing_share : float, optional
        Share of all links that you know is missing; probabilities follow from it.
    known_absent : str, Path, frame, array or list, optional
        Pairs that you have checked and that are no links: never returned, learned from.
    reviews : str, Path or frame, optional
        Answers of people: a folder of results with its review, its review.sqlite, or a table with a column
        `answer`. Accepted pairs become edges, rejected ones known non-links; a review tells `missing_share` too.
    seed : int
        Same seed and threads, same result.
    threads : int, optional
        Threads to use; PULINK_THREADS, else half the cores.
    progress : bool or function, optional
        True shows a bar while a terminal or a notebook is watching; as in `fit`.
    checkpoints : str, Path or Checkpoints, optional
        As in `fit`.
    callbacks : list of objects, optional
        As in `fit`, see `pulink.callbacks`.
    listener : Listener, optional
        Told what `logging` is told (logger "pulink.workflows"), and how far the training is.
    cluster : str, optional
        Who makes pieces of PULL+'s work, or trains PULL and GCN+CE together: "local:4" (so many processes),
        "auto" or "ray://HOST:PORT" (Ray). A folder of parts is then read by these alone.
    out : str or Path, optional
        Of a graph in parts, the folder for the results, where its model stays; see `FindResult.save`.
    **settings : object
        The method's own parameters, as in `pulink.make`; and how a file or a frame is read, as in `pulink.read`:
        source, target, weight, kind, time and so on.

    Returns
    -------
    FindResult

    Examples
    --------
    >>> import pulink
    >>> result = pulink.find([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")], top=2, method="l3n")
    >>> result.links.columns[:4]
    ['rank', 'source', 'target', 'probability']
    """
    options = {option.name for option in fields(ReadOptions)}
    parameters = {name: value for name, value in settings.items() if name not in options}
    refuse_unknown(parameters, _known(method, options))
    parameters = with_effort({method: parameters}, effort, [method])[method]
    request = FindRequest(
        edges,
        nodes,
        known_absent,
        LinkQuery(top, min_probability, fdr, per_node).checked(),
        method,
        seed,
        threads,
        parameters if missing_share is None else parameters | {"missing_share": missing_share},
        AS_FOUND.but({name: value for name, value in settings.items() if name in options}),
        reviews,
    )
    folder = Checkpoints(checkpoints) if isinstance(checkpoints, str | Path) else checkpoints
    with Reporter(listener).helped(cluster, [method]):
        return answer(
            request,
            progress=progress,
            checkpoints=folder,
            callbacks=callbacks,
            listener=listener,
            out=None if out is None else Path(out),
        )


def _known(method: str, options: Iterable[str]) -> list[str]:
    """Keywords of find, of reading and of the method."""
    mine = [name for name, kind in signature(find).parameters.items() if kind.kind is not kind.VAR_KEYWORD]
    return [*mine, *options, *method_by_name(method).predictor.parameter_names()]


def answer(
    request: FindRequest,
    *,
    progress: bool | ProgressFunction | None = None,
    checkpoints: Checkpoints | None = None,
    callbacks: Iterable[object] | None = None,
    listener: Listener | None = None,
    out: Path | None = None,
) -> FindResult:
    """Read, fit, search; what happens is told on the way.

    out  where results are written to: the model of a graph in parts is made there
    """
    from pulink.workflows.sharded.finding.asked import is_asked

    reporter = Reporter(listener)
    if is_asked(request):
        from pulink.workflows.sharded.finding.find_parts import find_in_parts

        return find_in_parts(request, out, checkpoints, reporter)
    model = request.model()
    with timed("reading"):
        source = open_graph(request.edges, request.nodes, request.reading, request.known_absent)
    reviews = None
    if request.reviews is not None:
        reviews = flow_back(request.reviews, source.graph, request.reading.encoding)
        source = replace(source, graph=reviews.graph)
    graph = source.graph
    reporter.was_read(source.label, graph)
    reporter.warn(() if reviews is None else reviews.warnings)
    if graph.n_edges and graph.n_edges + graph.n_absent == graph.n_pairs:
        raise InputError(
            f"{source.label}: nothing to search, every pair of nodes is an edge or known to be no link"
        )
    for words in (
        messages.repeatable(request.seed, thread_count(request.threads)),
        _told(model, reviews),
        messages.cluster_use(model, graph),
        expected_cost(model, graph),
        messages.unused(graph, model),
        _earlier(model, graph, checkpoints),
    ):
        if words is not None:
            reporter.note(words)
    with timed("fitting"), reporter.bar() as bar:
        shown = progress if bar is None or progress else FitLine(bar, model.choosing)
        model.fit(graph, progress=shown, checkpoints=checkpoints, callbacks=callbacks)
    if (words := messages.chosen(model)) is not None:
        reporter.note(words)
    with timed("estimating once more, by another method"):
        second = second_estimate(model, request.method, graph)
    for words in headline(model, None, second, reviews).before_search:
        reporter.note(words)
    reporter.warn(messages.doubts(model))
    with timed("searching"), _search_shown(reporter):
        found, searched = request.query.search(model)
    if request.query.fdr is not None:
        reporter.note(messages.trusted(found.height, request.query.fdr, request.query.min_probability))
    for words in headline(model, found, second, reviews).of_list:
        reporter.note(words)
    reporter.warn(messages.doubts_of_list(found))
    return FindResult(request, source, model, found, searched, second, reviews)


def _told(model: LinkPredictor, reviews: FlowBack | None) -> str | None:
    """Let a model know how many links are missing by answers, unless somebody said it; a line about it."""
    if reviews is None or model.missing_share is not None:
        return None
    model.set_params(missing_share=reviews.missing_share)
    return reviews.words


@contextmanager
def _search_shown(reporter: Reporter) -> Iterator[None]:
    """Who follows is told how far the search is."""
    with reporter.bar() as bar:

        def show(done: int, total: int, *_: object) -> None:
            if bar is not None:
                bar.show("searching unconnected pairs", done, total)

        with listening(None if bar is None else StageSteps(show).hear):
            yield


def _earlier(model: LinkPredictor, graph: Graph, checkpoints: Checkpoints | None) -> str | None:
    """Whether a run that was stopped goes on, or others lie in its folder."""
    if checkpoints is None:
        return None
    if before := checkpoints_of(model, graph, checkpoints).seconds_before:
        return messages.going_on(before)
    return messages.other_runs(checkpoints)
