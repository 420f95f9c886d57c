"""Every method by its name: what it is, where it comes from, what it needs, how it is made.

The methods of pulink stand in one tuple; those of other packages (`plugins`) are looked up beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.errors import ModelError, ParameterError, UnknownNameError
from pulink.methods.plugins import Plugin, installed
from pulink.persistence.manifest import MANIFEST
from pulink.text import short_path

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor


@dataclass(frozen=True)
class Method:
    """A predictor with the settings that make it a published method.

    Attributes
    ----------
    name, family, summary, citation : str
        What it is called, what kind it is, what it does, and where it was published.
    home : str
        Module below `pulink.methods` and class, imported when a predictor is made: a list costs nothing.
    tables : str
        Where the paper reports it; empty if it does not.
    features : str
        "used" where there are some, or "not used"; no method needs them.
    cost : str
        Rough cost of a fit, in words.
    settings : dict
        Parameters that make it this method.
    plugin : Plugin or None
        The package that brings it; None for methods of pulink.
    """

    name: str
    family: str
    summary: str
    citation: str
    home: str
    tables: str
    features: str
    cost: str
    settings: dict[str, Any] = field(default_factory=dict)
    plugin: Plugin | None = None

    @property
    def predictor(self) -> type[LinkPredictor]:
        """The class behind the name."""
        if self.plugin is not None:
            return self.plugin.load()
        module, _, name = self.home.partition(":")
        return getattr(import_module(f"pulink.methods.{module}"), name)  # type: ignore[no-any-return]

    def make(self, **settings: Any) -> LinkPredictor:
        """Make an unfitted predictor.

        Parameters
        ----------
        **settings : any
            Parameters of the predictor; those given here win.

        Returns
        -------
        an unfitted predictor

        Raises
        ------
        UnknownNameError
            If there is no such parameter; the message lists those there are.
        """
        known = self.predictor.parameter_names()
        for name in settings:
            if name not in known:
                raise UnknownNameError(f"parameter of {self.name}", name, known)
        return self.predictor(**(self.settings | settings))

    def check_free(self, settings: Mapping[str, Any]) -> None:
        """Check that settings leave it the method that it is.

        Parameters
        ----------
        settings : dict
            Parameters by name.

        Raises
        ------
        ParameterError
            If one of them would make it another method.
        """
        for name, value in self.settings.items():
            if name in settings and settings[name] != value:
                free = next(
                    (entry for entry in _ALL if entry.home == self.home and name not in entry.settings), None
                )
                hint = "" if free is None else f"; {free.name}.{name} can be"
                raise ParameterError(
                    f"{self.name}.{name} cannot be set: {name}={value!r} is what makes it {self.name}{hint}"
                )

    @property
    def has_control(self) -> bool:
        """Whether comparisons carry GCN+CE with as many gradient steps beside it."""
        return self.family == "pull"


_PULL = "Kim et al., AAAI 2025"
_GAE = "Kipf and Welling, NIPS workshop 2016"
_ARGA = "Pan et al., IJCAI 2018"
_LINKS = "Liben-Nowell and Kleinberg, CIKM 2003"
_L3 = "Kovács et al., Nature Communications 2019"
_TABLES = "Tables 1, 4, 6"
_TABLES_WITH = "Tables 1, 2, 4, 6, 7"
_STEPS = "up to 2,000 gradient steps, each linear in edges"

_ALL = (
    Method("pull", "pull", "PULL as in the paper", _PULL, "pull.estimator:PULL",
           "Tables 1, 4, 5, 6; Figures 3, 4", "used", _STEPS),
    Method("pull-ws", "pull", "PULL that samples the expected graph, without L_C", _PULL, "pull.estimator:PULL",
           "Table 5", "used", _STEPS, {"selection": "sample", "correction": False}),
    Method("pull-no-lc", "pull", "PULL without the correction loss L_C", _PULL, "pull.estimator:PULL",
           "Figure 3", "used", _STEPS, {"correction": False}),
    Method("gae+pull", "pull", "PULL with GAE's loss", _PULL, "pull.estimator:PULL",
           "Tables 2, 7", "used", _STEPS, {"encoder": "gae"}),
    Method("vgae+pull", "pull", "PULL with a variational autoencoder", _PULL, "pull.estimator:PULL",
           "Tables 2, 7", "used", _STEPS, {"encoder": "vgae"}),
    Method("vgnae+pull", "pull", "PULL with a normalised variational autoencoder", _PULL, "pull.estimator:PULL",
           "Tables 2, 7", "used", _STEPS, {"encoder": "vgnae"}),
    Method("pull-plus", "pull+", "trees over many signals of a pair, with estimated labels of unconnected pairs",
           "pulink", "pull_plus.estimator:PULLPlus", "", "used", "minutes; four to ten graphs are looked at"),
    Method("gcn-ce", "gnn", "GCN with cross-entropy", "Kipf and Welling, ICLR 2017",
           "baselines.gnn.gcn_ce:GCNCE", _TABLES, "used", _STEPS),
    Method("gat-ce", "gnn", "graph attention with cross-entropy", "Veličković et al., ICLR 2018",
           "baselines.gnn.gat_ce:GATCE", _TABLES, "used", f"{_STEPS}; about ten times a GCN's"),
    Method("sage-ce", "gnn", "GraphSAGE with cross-entropy", "Hamilton et al., NIPS 2017",
           "baselines.gnn.sage_ce:SAGECE", _TABLES, "used", _STEPS),
    Method("gae", "autoencoder", "graph autoencoder", _GAE,
           "baselines.autoencoder.gae:GAE", _TABLES_WITH, "used", _STEPS),
    Method("vgae", "autoencoder", "variational graph autoencoder", _GAE,
           "baselines.autoencoder.vgae:VGAE", _TABLES_WITH, "used", _STEPS),
    Method("arga", "autoencoder", "GAE against a discriminator", _ARGA,
           "baselines.autoencoder.arga:ARGA", _TABLES, "used", f"{_STEPS}; about five times a GCN's"),
    Method("argva", "autoencoder", "VGAE against a discriminator", _ARGA,
           "baselines.autoencoder.argva:ARGVA", _TABLES, "used", f"{_STEPS}; about five times a GCN's"),
    Method("vgnae", "autoencoder", "VGAE with normalised features and one propagation", "Ahn and Kim, CIKM 2021",
           "baselines.autoencoder.vgnae:VGNAE", _TABLES_WITH, "used", _STEPS),
    Method("bagging-pu", "pu", "three GCNs, each against its own fixed sample of unlabelled pairs",
           "Gan et al., 2022", "baselines.pu.bagging_pu:BaggingPU", _TABLES, "used",
           f"{_STEPS}; three times a GCN's"),
    Method("ness", "gnn", "one GCN over four disjoint parts of the edges", "Ucar, 2023",
           "baselines.gnn.ness:NESS", _TABLES, "used", f"{_STEPS}; about six times a GCN's"),
    Method("common-neighbours", "heuristic", "number of common neighbours", _LINKS,
           "heuristics.shared_neighbours:CommonNeighbours", "", "not used", "seconds, no training"),
    Method("adamic-adar", "heuristic", "common neighbours, each divided by the logarithm of its degree",
           "Adamic and Adar, Social Networks 2003", "heuristics.shared_neighbours:AdamicAdar",
           "", "not used", "seconds, no training"),
    Method("resource-allocation", "heuristic", "common neighbours, each divided by its degree",
           "Zhou, Lü and Zhang, European Physical Journal B 2009",
           "heuristics.shared_neighbours:ResourceAllocation", "", "not used", "seconds, no training"),
    Method("jaccard", "heuristic", "share of common neighbours among all neighbours", _LINKS,
           "heuristics.shared_neighbours:Jaccard", "", "not used", "seconds, no training"),
    Method("preferential-attachment", "heuristic", "product of the degrees", "Barabási and Albert, Science 1999",
           "heuristics.preferential_attachment:PreferentialAttachment", "", "not used",
           "seconds, no training"),
    Method("katz", "heuristic", "walks of up to three steps, damped", "Katz, Psychometrika 1953",
           "heuristics.katz:Katz", "", "not used", "seconds, no training"),
    Method("ppr", "heuristic", "personalised PageRank, both ways", "Jeh and Widom, WWW 2003",
           "heuristics.pagerank:PersonalisedPageRank", "", "not used",
           "no training; a product with the adjacency per node, about 20 times"),
    Method("l3", "heuristic", "walks of three steps", _L3,
           "heuristics.l3:L3", "", "not used", "seconds, no training"),
    Method("l3n", "heuristic", "walks of three steps, normalised by degrees", _L3,
           "heuristics.l3:L3N", "", "not used", "seconds, no training"),
    Method("buddy", "structural", "sketches of neighbourhoods and propagated features",
           "Chamberlain et al., ICLR 2023", "baselines.structural.buddy:BUDDY", "", "used", "minutes"),
    Method("ncn", "structural", "GCN with the common neighbours' vectors", "Wang et al., ICLR 2024",
           "baselines.structural.ncn:NCN", "", "used", "minutes"),
    Method("neo-gnn", "structural", "GCN with a learned weight of common neighbours", "Yun et al., NeurIPS 2021",
           "baselines.structural.neo_gnn:NeoGNN", "", "used", "minutes"),
    Method("seal", "structural", "GCN over the labelled subgraph around each pair", "Zhang and Chen, NeurIPS 2018",
           "baselines.structural.seal:SEAL", "", "used",
           "minutes on thousands of nodes; about 0.2 ms per scored pair"),
    Method("id-gnn", "gnn", "GCN with counts of closed walks as features", "You et al., AAAI 2021",
           "baselines.gnn.id_gnn:IDGNN", "", "used", _STEPS),
    Method("mvgae", "autoencoder", "GCNs over three views of the graph, fused by attention", "Li et al., 2023",
           "baselines.autoencoder.mvgae:MVGAE", "", "used", f"{_STEPS}; three times a GCN's"),
    Method("ps2", "structural", "a learned choice of neighbourhood sizes for each pair", "Tan et al., WSDM 2023",
           "baselines.structural.ps2:PS2", "", "used", "minutes"),
    Method("nnpu", "pu", "GCN with the non-negative risk of PU learning", "Kiryo et al., NIPS 2017",
           "baselines.pu.nnpu:NNPU", "", "used", _STEPS),
    Method("pu-auc", "pu", "GCN that maximises AUROC of edges against unlabelled pairs", "Hao, 2021",
           "baselines.pu.pu_auc:PUAUC", "", "used", _STEPS),
)  # fmt: skip

METHODS: dict[str, Method] = {entry.name: entry for entry in _ALL}

GROUPS: dict[str, tuple[str, ...]] = {
    "all": tuple(METHODS),
    "paper": tuple(entry.name for entry in _ALL if entry.tables),
    "heuristics": tuple(entry.name for entry in _ALL if entry.family == "heuristic"),
}


_CLASSES = {entry.home.rpartition(":")[2]: entry for entry in _ALL}


def plugin_methods() -> tuple[dict[str, Method], tuple[str, ...]]:
    """Methods of other packages by name, none of them imported, and a sentence about each that is left out."""
    found = installed({*METHODS, *GROUPS}, _CLASSES)
    about: dict[str, Any] = {"tables": "", "features": "not known", "cost": "not known"}
    entries = {
        name: Method(
            name, "plug-in", plugin.summary, f"{plugin.package} {plugin.version}", plugin.entry.value, **about,
            plugin=plugin,
        )
        for name, plugin in found.plugins.items()
    }  # fmt: skip
    return entries, found.problems


def method(name: str) -> Method:
    """A method by its name, of pulink or of another package; an unknown one lists them all."""
    if not isinstance(name, str):
        raise ParameterError(f"method must be a name, such as 'pull-plus' (see pulink.METHODS), got {name!r}")
    if name in METHODS:
        return METHODS[name]
    others, _ = plugin_methods()
    if name not in others:
        raise UnknownNameError("method", name, [*METHODS, *others])
    return others[name]


def make(name: str, **settings: Any) -> LinkPredictor:
    """Make an unfitted predictor by the name of its method.

    Parameters
    ----------
    name : str
        Such as "pull-plus" or "l3n"; `pulink.METHODS` holds them all.
    **settings : any
        Parameters of the method.

    Returns
    -------
    an unfitted predictor

    Raises
    ------
    UnknownNameError
        If there is no such method or parameter; the message lists those there are.

    Examples
    --------
    >>> import pulink
    >>> pulink.make("gae", n_units=32)
    GAE(n_units=32)
    """
    return method(name).make(**settings)


def load_model(folder: str | Path) -> LinkPredictor:
    """Load a fitted model, whichever method it is of.

    The folder only names its class. What is imported is looked up among the methods and installed plug-ins, so a
    folder of unknown origin can at worst be refused; a class of your own has a `load` of its own.

    Parameters
    ----------
    folder : path
        What `save` or `pulink find` wrote.

    Returns
    -------
    a fitted predictor

    Raises
    ------
    ModelError
        If the folder is damaged, of a newer pulink, or holds what does not fit together.

    Examples
    --------
    >>> import networkx, pulink, tempfile
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> pulink.Jaccard().fit(pulink.from_networkx(networkx.karate_club_graph())).save(folder)
    >>> pulink.load_model(folder)
    Jaccard()
    """
    from pulink.persistence.model_folder import stored_kind

    inside = Path(folder) / "model"
    try:
        folder = inside if (inside / MANIFEST).is_file() else folder
    except OSError as error:
        raise ModelError(f"{short_path(folder)}: cannot be read ({error.strerror})") from error
    kind = stored_kind(folder)
    if kind in _CLASSES:
        return _CLASSES[kind].predictor.load(folder)
    known = {entry.plugin.class_name: entry for entry in plugin_methods()[0].values() if entry.plugin is not None}
    if kind not in known:
        names = ", ".join(sorted([*_CLASSES, *known]))
        raise ModelError(f"{folder}: holds a {kind!r}, which is no method of this pulink: {names}")
    return known[kind].predictor.load(folder)


def expand(names: Iterable[str]) -> list[str]:
    """Names of methods and groups (or one name) become names of methods, each once, in the order asked for."""
    expanded: dict[str, None] = {}
    for name in [names] if isinstance(names, str) else names:
        if name not in METHODS and name not in GROUPS and name not in (others := plugin_methods()[0]):
            raise UnknownNameError("method", name, [*METHODS, *GROUPS, *others])
        expanded.update(dict.fromkeys(GROUPS.get(name, (name,))))
    return list(expanded)


def parse_settings(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """`method.parameter=value` texts become settings by method; names are checked, values when a fit starts."""
    settings: dict[str, dict[str, Any]] = {}
    for text in texts:
        place, equals, value = text.partition("=")
        name, dot, parameter = place.strip().rpartition(".")
        if not (equals and dot and name and parameter):
            raise ParameterError(f"a setting is written method.parameter=value, got {text!r}")
        known = method(name).predictor.parameter_names()
        if parameter not in known:
            raise UnknownNameError(f"parameter of {name}", parameter, known)
        is_text = isinstance(method(name).make().get_params()[parameter], str)
        settings.setdefault(name, {})[parameter] = value.strip() if is_text else _value(value.strip())
    for name, values in settings.items():
        method(name).check_free(values)
    return settings


def _value(text: str) -> Any:
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
