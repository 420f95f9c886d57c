"""Where `pulink.models` was: whoever wrote an encoder may still import its protocol from there."""

raise ModuleNotFoundError("pulink.models.encoders is called pulink.nn.encoders now", name=__name__)
