"""`pulink`, and `python -m pulink`."""

import sys

from pulink.cli.terminal.signals import INTERRUPTED, Terminated, heed_signals, ignore_signals, status_of


def main() -> None:
    """Loading takes a moment, in which a person may think better of it."""
    try:
        heed_signals()
        from pulink.cli.app import main as run

        run()
    except (KeyboardInterrupt, Terminated) as interrupt:
        if sys.stderr is not None:
            sys.stderr.write(f"pulink: {INTERRUPTED}\n")
        sys.exit(status_of(interrupt))
    finally:
        ignore_signals()


if __name__ == "__main__":
    main()
