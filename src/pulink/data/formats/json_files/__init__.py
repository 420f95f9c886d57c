"""JSON, whole or a value per line: values, and tables of them."""
