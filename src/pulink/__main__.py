"""`pulink`, and `python -m pulink`."""

import sys

from pulink.cli.terminal.signals import (
    INTERRUPTED,
    Terminated,
    heed_signals,
    ignore_signals,
    status_of,
    tell_end,
)


def main() -> None:
    """Loading takes a moment, in which a person may think better of it."""
    try:
        heed_signals()
        from pulink.cli.terminal.json_errors import json_is_asked_for, print_error

        if json_is_asked_for(sys.argv[1:]):
            tell_end(lambda words, status: print_error("Interrupted", words, status))
        from pulink.cli.app import main as run

        run()
    except (KeyboardInterrupt, Terminated) as interrupt:
        from pulink.cli.terminal.json_errors import json_is_asked_for, print_error

        message, status = INTERRUPTED, status_of(interrupt)
        if json_is_asked_for(sys.argv[1:]):
            print_error("Interrupted", message, status)
        if sys.stderr is not None:
            sys.stderr.write(f"pulink: {message}\n")
        sys.exit(status)
    finally:
        ignore_signals()


if __name__ == "__main__":
    main()
