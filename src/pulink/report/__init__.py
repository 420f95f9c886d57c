"""A folder of results becomes tables, figures, one Markdown file and one self-contained HTML file."""
