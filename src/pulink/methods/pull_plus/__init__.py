"""PULL+: the expected graph with calibrated probabilities, from boosted trees over many signals of a pair."""
