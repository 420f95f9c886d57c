"""The paper: PULL, an outer loop that builds the expected graph and trains a link predictor on it."""
