"""Neural link predictors: encoders, the inner loop that trains them, and what all predictors share."""
