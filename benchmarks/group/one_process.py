"""PULL on the graph of `efficiency`, by one process without a group."""

from __future__ import annotations

from benchmarks.group.efficiency import generated
from benchmarks.growth import measure
from benchmarks.measure import own_arguments


def main() -> None:
    wanted = own_arguments()
    measure(generated(wanted["n_edges"], wanted["n_features"]), wanted)


if __name__ == "__main__":
    main()
