"""Which citations are missing? Papers on machine learning, and the words that they use."""

import sys

import pulink


def main(method: str = "pull-plus") -> None:
    graph = pulink.load("cora")
    print(graph)

    # First the question that decides whether to go on: are hidden citations found again?
    split = pulink.split(graph, val=0.1, test=0.1, seed=0)
    tested = pulink.make(method, seed=0).fit(split)
    scores = tested.score(split)
    print(f"{method}: hidden citations stand above other pairs {scores['auroc']:.1%} of the time")

    # Then all citations are shown, and the likeliest of the unconnected pairs are listed.
    model = pulink.make(method, seed=0).fit(graph)
    print(f"missing: {model.estimate_missing()}")
    links = model.missing_links(5)
    print(links)

    # Why the first of them? Facts of the graph that anybody can check.
    best = links.select("source", "target").row(0)
    for sentence in pulink.explain(model, [best])[0]:
        print(f"  {sentence}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
