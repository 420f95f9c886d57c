"""A table in words: the paper's shape measure by measure, then everything dataset by dataset."""

from __future__ import annotations

from pulink import metrics
from pulink.experiments.spec import Column, Override, Published
from pulink.report.reproduction import phrases
from pulink.report.reproduction.document import Block, Box, Bullets, Fold, Grid, Line, Section, Text, box
from pulink.report.reproduction.run_groups import Cell
from pulink.report.reproduction.statistics import MIN_PAIRS, Comparison
from pulink.report.reproduction.tables import Score, Table, is_control, reference
from pulink.text import counted


def table_section(table: Table) -> Section:
    experiment = table.experiment
    blocks: list[Block] = [Text(_opening(table))]
    footnotes = _footnotes(table)
    blocks += [_measure_grid(table, measure, footnotes) for measure in experiment.measures]
    blocks += [_rivals_grid(table, measure) for measure in experiment.measures if _any_pair(table, measure)]
    notes = (
        *_column_notes(table),
        *_setting_notes(table),
        *_measure_notes(table),
        *_published_notes(table),
        *footnotes.values(),
    )
    blocks.append(Bullets(notes))
    for column in experiment.columns:
        if any(cell.n_done for place, cell in table.cells.items() if place[1] == column.name):
            title = f"{column.name}: tests, steps, processor seconds and memory"
            blocks.append(Fold(title, (_dataset_grid(table, column),)))
    return Section(experiment.name, phrases.heading(experiment), tuple(blocks))


def _opening(table: Table) -> str:
    done = sum(cell.n_done for cell in table.cells.values())
    failed = sum(len(cell.failed) for cell in table.cells.values())
    planned = sum(cell.n_planned for cell in table.cells.values())
    return (
        f"{phrases.hiding(table.experiment)}; {counted(table.n_planned, 'seed')} planned. {done} of {planned} "
        f"runs are finished, {failed} failed."
    ) + (" Tests are Student's, paired." if table.experiment.test == "t" else "")


def _measure_grid(table: Table, measure: str, footnotes: dict[tuple[str, str], str]) -> Grid:
    experiment = table.experiment
    with_cost = measure == experiment.measures[0]
    rows = [
        (
            box(row),
            *(_score_box(table, row, column, measure, with_cost, footnotes) for column in experiment.columns),
        )
        for row in experiment.rows
    ]
    rows += [
        (
            (Line(entry.method), Line("published", "small")),
            *(_published_box(entry, column, measure) for column in experiment.columns),
        )
        for entry in experiment.published
        if any(measure in cell for cell in entry.values.values())
    ]
    name = phrases.measure_heading(measure)
    return Grid(
        caption=f"{name}, with processor seconds and memory" if with_cost else name,
        head=(box("method"), *(_head(column) for column in experiment.columns)),
        rows=tuple(rows),
        faint=_controls(table) | frozenset(range(len(experiment.rows), len(rows))),
    )


def _published_box(entry: Published, column: Column, measure: str) -> Box:
    value = entry.values.get(column.name, {}).get(measure)
    return box(phrases.NONE if value is None else phrases.measured(*value))


def _published_notes(table: Table) -> list[str]:
    """Who printed the numbers of others, each source once."""
    sources: dict[tuple[str, bool], list[str]] = {}
    for entry in table.experiment.published:
        sources.setdefault((entry.source, entry.recalled), []).append(entry.method)
    unchecked = "; written down from memory, not held against the paper"
    return [
        f"Published numbers of {', '.join(methods)}: {source}{unchecked if recalled else ''}."
        for (source, recalled), methods in sources.items()
    ]


def _controls(table: Table) -> frozenset[int]:
    return frozenset(place for place, row in enumerate(table.experiment.rows) if is_control(row))


def _head(column: Column) -> Box:
    if not column.run:
        return Line(column.name), Line("not run", "small")
    if column.dataset != column.name:
        return Line(column.name), Line(column.dataset, "small")
    return box(column.name)


def _score_box(
    table: Table, row: str, column: Column, measure: str, with_cost: bool, footnotes: dict[tuple[str, str], str]
) -> Box:
    place = (row, column.name)
    score, cell = table.scores[measure][place], table.cells.get(place)
    mark = f" {_number(footnotes[place])}" if place in footnotes else ""
    if cell is None:
        lines = [Line("not run", "small")]
    elif column.cost_only and cell.n_done:
        lines = [Line("cost only", "small")]
    elif score.mean is None:
        lines = [Line(f"failed{mark}" if cell.failed else phrases.NONE)]
    else:
        lines = [Line(phrases.measured(score.mean, score.sd) + mark, score.rank)]
    lines += _paper_lines(score)
    if cell is not None and cell.n_done and with_cost:
        lines.append(Line(_cost(cell), "small"))
    return tuple(lines)


def _paper_lines(score: Score) -> list[Line]:
    if score.paper is None:
        return []
    lines = [Line(f"paper {phrases.measured(*score.paper)}", "small")]
    if score.difference is not None:
        word = "inside" if score.inside else "outside"
        lines.append(
            Line(f"{phrases.signed(score.difference)}, {word}", "small" if score.inside else "small outside")
        )
    return lines


def _cost(cell: Cell) -> str:
    n = cell.n_done
    seeds = counted(n, "seed") if n == cell.n_planned else f"{n} of {cell.n_planned} seeds"
    return f"{seeds}, {phrases.seconds(cell.cost('cpu_seconds'))}, {phrases.megabytes(cell.cost('peak_mb'))}"


def _any_pair(table: Table, measure: str) -> bool:
    return any(score.against is not None for score in table.scores[measure].values())


def _rivals_grid(table: Table, measure: str) -> Grid:
    """The lead over every other row, and how sure it is."""
    experiment = table.experiment
    columns = [column for column in experiment.columns if column.run and not column.cost_only]
    rivals = [row for row in experiment.rows if reference(experiment, row) is not None]
    rows = [
        (box(row), *(_rival_box(table.scores[measure][row, column.name].against) for column in columns))
        for row in rivals
    ]
    return Grid(
        caption=f"{phrases.lead_of(experiment)}, {phrases.measure_heading(measure)}",
        head=(box("rival"), *(_head(column) for column in columns)),
        rows=tuple(rows),
        faint=frozenset(place for place, row in enumerate(rivals) if is_control(row)),
    )


def _rival_box(comparison: Comparison | None) -> Box:
    if comparison is None:
        return box(phrases.NONE)
    p = comparison.p_holm
    return Line(lead(comparison)), Line(p_words(comparison) if p is None else phrases.p_is(p), "small")


def _column_notes(table: Table) -> list[str]:
    notes = []
    for column in table.experiment.columns:
        if not column.run:
            notes.append(f"{column.name} is not run: {column.note or 'no reason is given'}.")
        elif column.note:
            notes.append(f"{column.name}: {column.note}.")
    return notes


def _setting_notes(table: Table) -> list[str]:
    return [
        f"Settings of {', '.join(entry.methods)} on {', '.join(entry.datasets)}: {_settings(entry)}."
        for entry in table.experiment.overrides
    ]


def _measure_notes(table: Table) -> list[str]:
    measures = table.experiment.measures
    notes = [measure.note for measure in metrics.MEASURES if measure.name in measures and measure.note]
    return [*notes, *_search_notes(table)] if "precision_at_k" in measures else notes


def _search_notes(table: Table) -> list[str]:
    """Where a method could not search all unconnected pairs."""
    places: dict[str, list[str]] = {}
    for (row, column), cell in table.cells.items():
        for words in cell.searched:
            places.setdefault(words, []).append(f"{row} on {column}")
    if len(places) == 1:
        return [f"Searched for Precision@K: {words}." for words in places]
    return [f"Searched for Precision@K by {', '.join(cells)}: {words}." for words, cells in sorted(places.items())]


def _settings(entry: Override) -> str:
    return ", ".join(f"{name} = {value}" for name, value in entry.values.items())


def _footnotes(table: Table) -> dict[tuple[str, str], str]:
    """By row and column: which seeds failed, and why."""
    found: dict[tuple[str, str], str] = {}
    for row in table.experiment.rows:
        for column in table.experiment.columns:
            cell = table.cells.get((row, column.name))
            if cell is not None and cell.failed:
                found[row, column.name] = f"[{len(found) + 1}] {row} on {column.name} failed: {_reasons(cell)}"
    return found


def _reasons(cell: Cell) -> str:
    by_reason: dict[str, list[int]] = {}
    for seed, reason in cell.failed.items():
        by_reason.setdefault(reason, []).append(seed)
    return "; ".join(f"{reason} ({phrases.listed(seeds)})" for reason, seeds in by_reason.items())


def _number(footnote: str) -> str:
    return footnote.partition(" ")[0]


def _dataset_grid(table: Table, column: Column) -> Grid:
    experiment = table.experiment
    with_paper = bool(experiment.expected)
    head = [box("method"), box("seeds")]
    for measure in experiment.measures:
        paper = [box("paper"), box("difference")] if with_paper else []
        head += [box(phrases.measure_heading(measure)), *paper, box(phrases.lead_of(experiment)), box("p (Holm)")]
    head += [box("steps"), box("processor seconds"), box("memory")]
    rows = tuple(_dataset_row(table, row, column, with_paper) for row in experiment.rows)
    return Grid(f"{column.name}: {experiment.title}", tuple(head), rows, _controls(table))


def _dataset_row(table: Table, row: str, column: Column, with_paper: bool) -> tuple[Box, ...]:
    cell = table.cells[row, column.name]
    boxes = [box(row), box(f"{cell.n_done} of {cell.n_planned}")]
    for measure in table.experiment.measures:
        score = table.scores[measure][row, column.name]
        boxes.append(box(phrases.measured(score.mean, score.sd), score.rank))
        if with_paper:
            boxes += _paper_boxes(score)
        boxes += [box(lead(score.against)), box(p_words(score.against))]
    costs = (phrases.whole(cell.cost("n_steps")), phrases.seconds(cell.cost("cpu_seconds")))
    return (*boxes, *(box(cost) for cost in costs), box(phrases.megabytes(cell.cost("peak_mb"))))


def _paper_boxes(score: Score) -> list[Box]:
    paper = phrases.NONE if score.paper is None else phrases.measured(*score.paper)
    if score.difference is None:
        return [box(paper), box(phrases.NONE)]
    word, mark = ("inside", "") if score.inside else ("outside", "outside")
    return [box(paper), box(f"{phrases.signed(score.difference)}, {word}", mark)]


def lead(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    return f"{phrases.signed(comparison.lead)}, ahead in {comparison.n_ahead} of {comparison.n_pairs}"


def p_words(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    return f"fewer than {MIN_PAIRS} pairs" if comparison.p_holm is None else phrases.probability(comparison.p_holm)
