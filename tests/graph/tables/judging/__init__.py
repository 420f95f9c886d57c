"""Tests of what is judged by looks."""
