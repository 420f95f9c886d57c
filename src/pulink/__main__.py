"""`pulink`, and `python -m pulink`."""

import sys


def main() -> None:
    """Loading takes a moment, in which a person may think better of it."""
    try:
        from pulink.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
