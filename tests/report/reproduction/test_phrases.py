"""Numbers as the paper prints them."""

from __future__ import annotations

from pulink.report.reproduction import phrases


def test_scores_have_two_decimals_and_one_seed_no_spread() -> None:
    assert phrases.measured(96.216, 0.123) == "96.22 ± 0.12"
    assert phrases.measured(96.0, None) == "96.00"
    assert phrases.measured(None, None) == "-"


def test_differences_carry_a_sign_unless_they_vanish() -> None:
    assert phrases.signed(0.376) == "+0.38"
    assert phrases.signed(-1.0) == "\N{MINUS SIGN}1.00"
    assert phrases.signed(-0.004) == "0.00"


def test_costs_and_probabilities() -> None:
    assert [phrases.seconds(value) for value in (None, 3.14, 9.96, 1234.5)] == ["-", "3.1 s", "10 s", "1,234 s"]
    assert phrases.megabytes(1572.4) == "1,572 MB"
    assert [phrases.probability(p) for p in (None, 0.0004, 0.01953)] == ["-", "< 0.001", "0.020"]
    assert (phrases.p_is(0.01953), phrases.p_is(0.0001)) == ("p = 0.020", "p < 0.001")


def test_seeds_in_words() -> None:
    assert phrases.listed([3]) == "seed 3"
    assert phrases.listed([4, 0, 1]) == "seeds 0, 1 and 4"
    assert phrases.listed([3, 1, 2]) == "seeds 1 to 3"


def test_the_rules_are_stated_with_their_numbers() -> None:
    rules = " ".join(phrases.HOW_TO_READ)
    assert "2 · √(s² + t²)" in rules
    assert "0.125 with 4, 0.0625 with 5, 0.002 with 10" in rules
    assert "fewer than 5 pairs no test" in rules
