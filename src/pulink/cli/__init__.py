"""The command: parse, call, print. One file per command."""
