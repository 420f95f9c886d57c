"""What scikit-learn expects of data and of estimators."""
