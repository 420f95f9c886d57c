"""HTTP over workflows: the pages and the API of `pulink explore`."""
