"""Tables that are too large for one machine: folders of parts, read block by block."""
