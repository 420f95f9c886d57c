"""Numbers and rules in words."""

from __future__ import annotations

from pulink import metrics
from pulink.experiments.plan import VAL_RATIO
from pulink.experiments.protocol import STORED
from pulink.experiments.spec import Experiment
from pulink.report.reproduction.statistics import MIN_PAIRS, SIGNIFICANT, smallest_p

NONE = "-"

_MINUS = "\N{MINUS SIGN}"


def heading(experiment: Experiment) -> str:
    """`Table 1: Accuracy ...`; what the paper does not have stands without a number."""
    return experiment.title if experiment.source == "ours" else f"{experiment.source}: {experiment.title}"


def hiding(experiment: Experiment) -> str:
    """Which edges are hidden, what a method is given, and what its test edges are compared with; no full stop."""
    hidden, protocol = f"{experiment.missing_ratio:.0%} of the edges are hidden for the test", experiment.protocol
    if protocol is None:
        return f"{hidden} and {VAL_RATIO:.0%} for validation"
    if protocol.split == STORED:
        words = "Test, validation and non-edges are the publisher's; methods are given the training edges alone."
    elif protocol.own_val:
        words = f"{hidden}; methods are given the others, and hide validation edges of their own among them."
    else:
        words = f"{hidden} and {protocol.val:.0%} for validation, which are not in the graph at the test either."
    if protocol.n_hard:
        words += f" Each test edge is ranked among {protocol.n_hard} hard non-edges of its own."
    return f"{words} Methods are not told which share is missing"


def measure_heading(name: str) -> str:
    """What stands over a table of one measure."""
    found = metrics.measure(name)
    return found.heading or found.title


def lead_of(experiment: Experiment) -> str:
    return "PULL's lead" if experiment.lead == "pull" else f"{experiment.lead}'s lead"


def measured(mean: float | None, sd: float | None) -> str:
    """`96.22 ± 0.12`; a single seed has no spread."""
    if mean is None:
        return NONE
    return f"{mean:.2f}" if sd is None else f"{mean:.2f} ± {sd:.2f}"


def signed(value: float) -> str:
    """`+0.12`, with a real minus sign; what rounds to nothing has no sign."""
    text = f"{abs(value):.2f}"
    if float(text) == 0:
        return text
    return ("+" if value > 0 else _MINUS) + text


def probability(p: float | None) -> str:
    if p is None:
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_is(p: float) -> str:
    """`p = 0.020` or `p < 0.001`."""
    text = probability(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def seconds(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.1f} s" if value < 9.95 else f"{value:,.0f} s"


def megabytes(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f} MB"


def whole(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def listed(numbers: list[int]) -> str:
    """`seed 3`, `seeds 0, 1 and 4`, `seeds 0 to 9`."""
    words = [str(number) for number in sorted(numbers)]
    if len(words) == 1:
        return f"seed {words[0]}"
    if len(words) > 2 and max(numbers) - min(numbers) == len(numbers) - 1:
        return f"seeds {words[0]} to {words[-1]}"
    return f"seeds {', '.join(words[:-1])} and {words[-1]}"


HOW_TO_READ = (
    "Scores are means over seeds in per cent, ± the sample standard deviation; a single seed has none. Every "
    "method of a seed sees the same hidden edges and the same non-edges.",
    "Below a score stands the paper's, then ours minus the paper's. It is inside if that difference is at most "
    "2 · √(s² + t²), with s our standard deviation (0 for a single seed) and t the paper's; else it is outside.",
    "Bold is the best of a column, underlined the second, by the means as printed; where two methods form a pair, "
    "only the better one is bold. Ranks are among what is finished: means beside each other may rest on different "
    "numbers of seeds, which each cell gives. Leads and tests are over the seeds that both have.",
    "gcn-ce@METHOD is a control: GCN+CE with exactly as many gradient steps as METHOD took on the same split. "
    "The paper has no such row; controls are not ranked.",
    "Tests are paired over seeds: Wilcoxon's signed-rank test, two-sided and exact, or Student's where a table "
    "says so. X is tested against X+pull where a table has it, else against pull, or against the method whose "
    "lead the table shows. p is corrected by Holm's method over the rivals of a column and measure.",
    f"With n pairs the smallest p there can be is 2^(1 - n): {smallest_p(4):.3f} with 4, {smallest_p(5):.4f} with "
    f"5, {smallest_p(10):.3f} with 10, times the number of rivals once corrected: with 5 pairs and ten rivals "
    f"no lead is significant by Wilcoxon's test. With fewer than {MIN_PAIRS} pairs no test is made.",
    "Seconds are processor time of the fit alone, the mean over seeds. Memory is the largest resident memory of "
    "the whole process during fit and scoring, the largest over seeds.",
    "Every method is given the missing ratio as its missing_share, but in the tables of records. It concerns "
    "probabilities, and the estimated labels of PULL+; AUROC, AUPRC and precision of the others do not depend on "
    "it.",
    "Runs were made at different times, on more than one processor. Run again, a score of a small graph may "
    "differ in its third digit, where another round or epoch is chosen by a hair.",
    "Records are measured by other people's protocols. Below our rows stand the numbers that others published for "
    "the same measure, which were not run here and are not ranked.",
    "A dash stands for what is not yet run.",
)

OVERVIEW = (
    "Inside and outside count the scores, one for each method, dataset and measure, beside which the paper prints "
    "one. An experiment may share runs with another."
)

CONTROLS = (
    "The control is GCN+CE with exactly as many gradient steps as PULL took on the same split. It looks at the "
    "validation edges as often as PULL does and keeps its best state. p is of the signed-rank test over seeds, "
    f"one test per row, not corrected; below {SIGNIFICANT} the row says yes or no. With fewer than {MIN_PAIRS} "
    "pairs no test is made."
)

ITERATIONS = (
    "Mean over seeds with the standard deviation as a band. AUROC is on the validation edges, and every iteration "
    "is shown whatever it says. The dashed line is where K, the size of the expected graph, reaches the number of "
    "edges that the graph had before any was hidden."
)

SCALING = (
    "Seconds of the fit, a point for each run, over the share of the graph's edges that was kept. The line is the "
    "least-squares fit, and R² the share of the variance that it explains."
)
