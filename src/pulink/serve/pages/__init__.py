"""The pages of `pulink explore`, rendered on the server from what the API gives."""

from pulink.serve.pages.routes import page_routes

__all__ = ["page_routes"]
