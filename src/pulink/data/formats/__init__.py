"""Bytes of one format each -> tables and arrays."""
