"""Everything public is documented in numpydoc's form, as its signature says, with examples that are true."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pulink
from tests.support import numpydoc

SRC = Path(pulink.__file__).parents[1]

# Classes that nobody makes, but that public functions take or return.
RETURNED = (
    "pulink.calibration.missing_links.MissingLinks",
    "pulink.calibration.reliability.Reliability",
    "pulink.callbacks.CSVLogger",
    "pulink.data.catalog.Dataset",
    "pulink.evaluation.LeftOut",
    "pulink.evaluation.Run",
    "pulink.graph.edge_rows.Cleaning",
    "pulink.graph.names.Names",
    "pulink.methods.pull.loop.Iteration",
    "pulink.methods.pull_plus.scoring.validation_set.Round",
    "pulink.methods.registry.Method",
    "pulink.model_selection.EdgeKFold",
    "pulink.model_selection.EdgeShuffleSplit",
    "pulink.predictor.fitting.fit_events.FitEvent",
    "pulink.predictor.fitting.fit_run.Progress",
    "pulink.predictor.predictor.LinkPredictor",
    "pulink.predictor.scikit_learn.edge_rows.EdgeRows",
    "pulink.predictor.search_scope.SearchScope",
    "pulink.workflows.finding.result.FindResult",
)


def found(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


EXPORTED = {name: getattr(pulink, name) for name in pulink.__all__ if callable(getattr(pulink, name))}
CLASSES = {name: value for name, value in EXPORTED.items() if inspect.isclass(value)}
FUNCTIONS = {name: value for name, value in EXPORTED.items() if not inspect.isclass(value)}
MEMBERS = sorted(
    {
        (f"{owner.__module__}.{owner.__qualname__}", name)
        for cls in [*CLASSES.values(), *map(found, RETURNED)]
        for owner, name in numpydoc.public_members(cls)
    }
)
PUBLIC_MODULES = {value.__module__ for value in EXPORTED.values()} | {
    place.rpartition(".")[0] for place in [*RETURNED, *(owner for owner, _ in MEMBERS)]
}
# Of every file, whoever its names are for: an example that nobody runs is no longer true one day.
WITH_EXAMPLES = [
    ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SRC / "pulink").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def require_none(place: str, problems: list[str]) -> None:
    assert not problems, "\n".join([f"the docstring of {place}:", *problems])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_documented_as_its_signature_says(name: str) -> None:
    require_none(name, numpydoc.function_problems(FUNCTIONS[name], example=True))


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_documents_its_parameters_or_says_where_they_are(name: str) -> None:
    require_none(name, numpydoc.class_problems(CLASSES[name], example=True))


@pytest.mark.parametrize("place", RETURNED)
def test_a_class_that_is_returned_is_documented(place: str) -> None:
    require_none(place, numpydoc.class_problems(found(place), example=False))


@pytest.mark.parametrize(("owner", "name"), MEMBERS)
def test_a_method_is_documented_as_its_signature_says(owner: str, name: str) -> None:
    require_none(f"{owner}.{name}", numpydoc.method_problems(found(owner), name))


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyG, when it is imported
@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_give_what_they_show(module: str) -> None:
    # Of what is public nothing is there but what an example imports: it can be pasted anywhere.
    examples = doctest.DocTestFinder().find(import_module(module), globs={} if module in PUBLIC_MODULES else None)
    runner = doctest.DocTestRunner()
    assert [example.name for example in examples if runner.run(example).failed] == []
    assert runner.tries > 0


def test_what_a_docstring_lacks_is_told() -> None:
    def counted(edges: list[int], most: int = 3) -> int:
        """Counts
        edges

        Parameters
        ----------
        edges
            Some.
        least : int
            Nobody takes this.

        Raises
        ------
        NoSuchError
            Never.

        Result
        ------
        int
        """
        return min(len(edges), most)

    assert numpydoc.function_problems(counted, example=True) == [
        "the first line is no sentence on one line: 'Counts\\nedges'",
        "'Result' is no section of numpydoc",
        "Parameters: edges has no type (name : type)",
        "Raises: there is no error NoSuchError",
        "Parameters: most is missing",
        "Parameters: there is no least",
        "Returns is missing",
        "Examples is missing",
    ]


def test_parameters_that_no_class_documents_are_told() -> None:
    class Taught(pulink.GAE):
        """A graph autoencoder with a teacher.

        Parameters
        ----------
        pupil : str
            Nobody takes this.

        See Also
        --------
        pulink.GCNCE : the parameters that are not listed here.
        """

        lesson_: str

        def __init__(self, teacher: str = "", n_units: int = 16) -> None:
            super().__init__(n_units=n_units)
            self.teacher = teacher

    assert numpydoc.class_problems(Taught, example=False) == [
        "Parameters: there is no pupil",
        "Parameters: neither here nor in See Also: teacher",
        "Attributes: lesson_ is missing",
        "Attributes: there is no pupil",
    ]
