"""Where the figures of the attempts are kept: torture/results/NAME.json, of whole forms only."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pulink.system.files import write_atomically

RESULTS = Path(__file__).with_name("results")


def tell(name: str, figures: dict[str, Any], *, whole: bool) -> None:
    """Print the figures of an attempt; a short form never takes the place of a whole one."""
    text = json.dumps(figures, indent=1) + "\n"
    sys.stdout.write(text)
    if whole:
        write_atomically(RESULTS / f"{name}.json", text)
    else:
        sys.stdout.write(f"a short form: {name}.json is left as it was\n")
