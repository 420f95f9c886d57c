"""Databases in one file: which table holds the edges, and its rows as a table."""
