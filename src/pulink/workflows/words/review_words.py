"""What a review tells, in sentences: for the terminal, and for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.calibration.missing_links import MissingLinks
from pulink.calibration.review.estimate import FEWEST, MOST_UNSURE, NARROW, ReviewEstimate
from pulink.persistence.ledger import CONTROL, LINK, NO_LINK, SAMPLE
from pulink.text import counted
from pulink.workflows.words.messages import share

if TYPE_CHECKING:
    from pulink.workflows.review.session import ReviewSession

# The shares of false links for which lists are certified.
LEVELS = (0.1, 0.2)
# After so many answers it is said that none of them is a link, and whether reading the list is cheaper.
_EARLY = 20
# A list of no more pairs than this is read rather than sampled.
_FEW_PAIRS = 50
# Above this share of the number, what is extrapolated is named in a warning.
_LARGE_TAIL = 1 / 4


def review_sentences(session: ReviewSession) -> list[str]:
    """What the answers tell so far; the first sentence counts them."""
    found = session.estimate()
    answers = found.answers
    told = [_answered(found)]
    if not answers.n_decided:
        return told + _controls(session)
    told.append(_missing(session, found))
    if found.plain is not None:
        told.append(
            f"by the answers alone, without hidden edges, about {rounded(found.plain)} of these best pairs are "
            f"links (standard error {rounded(found.plain_error)})"
        )
    if (bounds := session.unsure_bounds()) is not None:
        fewer, more = (rounded(bound.missing.best) for bound in bounds)
        unsure = counted(len(answers.unsure), "unsure answer")
        told.append(f"{unsure} taken as no link, {fewer} would be missing; taken as a link, {more}")
    told += [] if found.too_unsure else [certified_words(found, level) for level in LEVELS]
    if (few := _few_pairs(found)) is not None:
        told.append(few)
    told += _controls(session)
    if found.is_enough:
        told.append("enough: more answers would change little")
    return told


def review_warnings(session: ReviewSession) -> list[str]:
    """What should keep a reader from trusting the numbers."""
    found = session.estimate()
    answers = found.answers
    told = []
    if answers.n_decided >= _EARLY and not len(answers.links):
        told.append(
            f"none of {answers.n_decided} answers is a link so far: perhaps hardly anything is missing, perhaps "
            "the list is of no use; more questions of this kind will hardly tell which"
        )
    if found.disagrees and found.plain is not None:
        told.append(
            f"the two estimates disagree: {rounded(found.zone)} links among the best pairs with hidden edges, "
            f"{rounded(found.plain)} by the answers alone; links are not missing as edges were hidden, so trust "
            "neither"
        )
    if found.too_unsure:
        told.append(
            f"{_percent(answers.unsure_share)} of the answers are unsure: above {share(MOST_UNSURE)} no list is "
            "certified, because pairs that are hard to judge may be links less often than others"
        )
    if answers.n_decided and found.tail > _LARGE_TAIL * (found.zone + found.tail):
        told.append(
            f"{_percent(found.tail / (found.zone + found.tail))} of the missing links are extrapolated: they "
            "would stand below the pairs that are asked about"
        )
    if (n_open := _skipped(session)) > max(2, MOST_UNSURE * answers.n_decided):
        told.append(
            f"{n_open:,} drawn pairs that came before others have no answer: if they were left out because they "
            "are hard to judge, the numbers are wrong; answer them, or say unsure"
        )
    return told + _people(session)


def _skipped(session: ReviewSession) -> int:
    """Drawn pairs without an answer although later ones have one."""
    drawn = [d for d in session.decisions() if d.question.kind == SAMPLE]
    last = max((k for k, d in enumerate(drawn) if d.answer is not None), default=0)
    return sum(d.answer is None for d in drawn[:last])


def _answered(found: ReviewEstimate) -> str:
    answers = found.answers
    if not answers.n_decided and not len(answers.unsure):
        return "no drawn pair has an answer yet"
    parts = [counted(len(answers.links), "link"), f"{len(answers.no_links):,} no link"]
    parts += [f"{len(answers.unsure):,} unsure"] if len(answers.unsure) else []
    return f"{counted(answers.n_decided + len(answers.unsure), 'answer')}: {', '.join(parts)}"


def _missing(session: ReviewSession, found: ReviewEstimate) -> str:
    zone = f"{rounded(found.zone)} among the {session.design.zone:,} best pairs, which are asked about"
    tail = f"{rounded(found.tail)} below them, which is extrapolated"
    return f"{missing_words(found.missing)}: {zone}, and {tail}"


def missing_words(missing: MissingLinks) -> str:
    """The number of missing links, with its interval."""
    links = "link is missing" if rounded(missing.best) in ("1", "less than 1") else "links are missing"
    interval = f"90% interval: {rounded(missing.low)} to {rounded(missing.high)}"
    return f"about {rounded(missing.best)} {links} ({interval})"


def certified_words(found: ReviewEstimate, level: float) -> str:
    """How far down the list one may go."""
    if found.answers.n_decided < FEWEST:
        return f"no list is certified at {share(level)} false links with fewer than {FEWEST} answers"
    if not (length := found.certified(level)):
        return f"no list can be certified yet to hold at most {share(level)} false links"
    if length == 1:
        return f"certified at {share(level)} false links: the first pair of the list"
    return f"certified with 90% confidence: at most {share(level)} of the first {length:,} pairs are false"


def _few_pairs(found: ReviewEstimate) -> str | None:
    expected = found.prefixes.expected_length(LEVELS[-1])
    if found.answers.n_decided < _EARLY or not 0 < expected <= _FEW_PAIRS:
        return None
    return (
        f"no more than the first {counted(expected, 'pair')} can be expected to hold at most {share(LEVELS[-1])} "
        "false links: reading the list from its beginning is cheaper than sampling it"
    )


def _controls(session: ReviewSession) -> list[str]:
    """How many of the recorded links that were mixed in were recognised."""
    asked = [d for d in session.decisions() if d.question.kind == CONTROL and d.answer is not None]
    if not asked:
        return []
    recognised = sum(d.answer == LINK for d in asked)
    return [f"{recognised:,} of {counted(len(asked), 'recorded link')} that were mixed in were recognised"]


def _people(session: ReviewSession) -> list[str]:
    known = session.decisions()
    told = []
    wrong = sum(d.question.kind == CONTROL and d.answer == NO_LINK for d in known)
    if wrong:
        were = counted(wrong, "recorded link was", "recorded links were")
        told.append(f"{were} answered as no link: check what counts as a link")
    several = sum(len(d.standing) > 1 for d in known)
    if apart := sum(d.disagreement for d in known):
        pairs = counted(several, "pair that several reviewers answered", "pairs that several reviewers answered")
        told.append(f"reviewers disagree about {apart:,} of {pairs}: these count as unsure until they agree")
    return told


def more_words(found: ReviewEstimate) -> str:
    """What more answers are for, where they are not enough yet."""
    if found.is_enough:
        return "enough: more answers would change little"
    return f"the interval is ±{_percent(found.width)}; ±{share(NARROW)} is narrow enough"


def rounded(number: float) -> str:
    """A number of links with the digits that are known: three at most.

    >>> from pulink.workflows.words.review_words import rounded
    >>> rounded(42_732.0), rounded(12.4), rounded(0.2), rounded(0.0)
    ('42,700', '12', 'less than 1', '0')
    """
    if 0 < number < 0.5:
        return "less than 1"
    return f"{float(f'{number:.3g}'):,.0f}"


def _percent(given: float) -> str:
    return f"{100 * given:.0f}%"
