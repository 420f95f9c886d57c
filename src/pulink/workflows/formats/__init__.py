"""How answers are written down: the formats, and the JSON documents with their schemas."""
