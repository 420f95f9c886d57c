"""What is judged of a table by its looks: names of columns, numbers as people write them, tables of another shape."""
