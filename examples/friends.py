"""Who knows whom? Listeners of a music service and their friendships, without a word about any of them."""

import sys

import numpy as np

import pulink


def main(method: str = "pull-plus") -> None:
    graph = pulink.load("lastfm-asia")
    print(graph)
    model = pulink.make(method, seed=0).fit(graph)

    # How far down the list may one go? It depends on how many friendships are thought missing.
    for share in (0.05, 0.1, 0.3):
        asked = model.assuming(share)
        print(
            f"if {share:.0%} are missing: {asked.missing_links(fdr=0.5).height} links, half of them right at least"
        )

    # Links for one person.
    person = graph.names[int(np.argmax(graph.degrees))]
    suggested = model.suggest(person, 5)
    print(suggested)

    # Somebody checked the first of them, and it is none: it is never suggested again, and learned from.
    checked = graph.names.index_of(suggested.select("source", "target").row(0)).reshape(1, 2)
    taught = pulink.make(method, seed=0).fit(graph.with_absent(checked))
    print(taught.suggest(person, 5))

    # A newcomer with three friends, without training again.
    friends = [graph.names[int(node)] for node in graph.neighbours(0)[:3]]
    grown = model.with_nodes(["newcomer"], [("newcomer", friend) for friend in friends])
    print(grown.suggest("newcomer", 5))


if __name__ == "__main__":
    main(*sys.argv[1:2])
