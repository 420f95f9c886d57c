"""Where `pulink.models` was: whoever wrote an encoder may still import its protocol from there."""

raise ModuleNotFoundError(
    "pulink.models is no more: encoders are in pulink.nn.encoders, and docs/architecture.md names other modules",
    name=__name__,
)
