"""The JSON API: one table of endpoints, of which the routes, the checks and the OpenAPI document are made."""
