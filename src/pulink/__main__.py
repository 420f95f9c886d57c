"""`python -m pulink` is `pulink`."""

from pulink.cli.app import main

main()
