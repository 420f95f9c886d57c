"""Where encoders were: `pulink.models.encoders` still works for those who wrote one, and says its new place."""
