"""What is judged of a table by its looks: names of columns, numbers in people's own ways, other shapes."""
