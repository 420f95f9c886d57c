"""Tables in memory become a Graph: two columns of names, and how to name the row that is to blame."""
