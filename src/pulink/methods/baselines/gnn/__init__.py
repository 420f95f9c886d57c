"""Graph networks trained to tell edges from non-edges."""
