"""Names of columns that tell what kind of graph a table lists: citing and cited, user and item."""

from __future__ import annotations

import re

# Each row leads from the first to the second, whichever column comes first.
_ONE_WAY = """
citing cited, citer citee, citingpaper citedpaper, follower followee, follower followed, follower following,
sender receiver, sender recipient, caller callee, parent child, depender dependee, dependent dependency,
package dependency, module dependency, payer payee, prerequisite course, prerequisite skill,
exporter importer, origin destination, departure arrival, predator prey, regulator regulated, tf gene,
tf target,
regulator gene, regulator target, id referencedwork, paper reference, work reference,
article reference, manager employee, supervisor supervisee, advisor advisee, mentor mentee, seller buyer,
lender borrower, debtor creditor, donor recipient, truster trustee, trustor trustee, voter candidate,
winner loser, teacher pupil, ancestor descendant, predecessor successor, superclass subclass,
hypernym hyponym, upstream downstream, giver receiver, referrer referred, inviter invitee, cause effect
"""
# Two kinds of things: one is never linked with another of its own kind.
_TWO_SIDES = """
user item, user product, user movie, user film, user book, user song, user track, user artist, user article,
user page, user post, user video, user game, user restaurant, user business, user recipe, user tag,
user group, user event, user repository, user repo, user app, user course, user news, user location,
user venue, user hotel, customer product, customer item, customer article, buyer product, client product,
shopper product, viewer movie, viewer film, reader book, reader article, listener song, listener artist,
listener track, player game, reviewer product, reviewer paper, reviewer business, rater item, session item,
basket item, basket product, order product, order item, invoice product, drug target, drug protein,
drug disease, drug gene, drug effect, drug adr, compound target, compound protein, compound gene,
compound disease, chemical gene, chemical disease, chemical protein, ligand receptor, ligand protein,
gene disease, gene phenotype, gene pathway, gene term, gene go, gene pubmed,
protein disease, protein pathway, protein complex,
protein domain, mirna gene, mirna disease, mirna target, lncrna disease, microbe disease, symptom disease,
patient disease, patient drug, patient diagnosis, patient symptom, author paper, author article,
author publication, author book, author work, inventor patent, paper keyword, paper venue, paper topic,
document word, document term, document keyword, recipe ingredient, ingredient compound, ingredient molecule,
food compound, dish ingredient, student course, student class, teacher course, member group, member club,
member organization, member organisation, person organization, person organisation, person company,
person group, person event, person club, employee project, employee company, director company,
investor company, investor startup, lobbyist bill, legislator bill, politician bill, voter bill, actor movie,
actor film, actor show, director movie, director film, artist song, artist venue, musician band,
musician album, plant pollinator, plant visitor, plant animal, plant herbivore, plant insect,
plant disperser, host parasite, host virus, host pathogen, species site, species habitat, species location,
country product, city company, woman event, club member, skill job, skill occupation, job skill, tag photo,
user hashtag, supplier part, supplier product, vendor product, store product, donor charity, donor project,
worker task
"""
_DECORATION = frozenset(
    {"id", "ids", "name", "names", "node", "key", "code", "number", "index", "doi", "pmid", "uuid"}
)
_READ = 100


def _stem(word: str) -> str:
    """A word without its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _plain(column: str) -> str:
    """`User_ID`, `userId` and `users` are the same word."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column[:_READ])
    words = [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]
    kept = [word for word in words if word not in _DECORATION] or words
    text = "".join(kept)
    # movieid, without a sign between: only where what is left is a word of the lists.
    short = _stem(text.removesuffix("id"))
    return short if short in _KNOWN else _stem(text)


def _pairs(text: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(_stem(word) for word in pair.split()[:2]) for pair in text.split(","))


_ONE_WAY_PAIRS, _TWO_SIDED_PAIRS = _pairs(_ONE_WAY), _pairs(_TWO_SIDES)
_LEADING = frozenset((_stem(pair.split()[0]), _stem(pair.split()[1])) for pair in _ONE_WAY.split(","))
_KNOWN = frozenset(word for pair in _ONE_WAY_PAIRS | _TWO_SIDED_PAIRS for word in pair)


def runs_one_way(first: str, second: str) -> bool:
    """Whether the names of two columns say that rows have a direction.

    >>> from pulink.graph.tables.kind_words import runs_one_way
    >>> runs_one_way("Citing_ID", "cited"), runs_one_way("from", "to")
    (True, False)
    """
    return frozenset((_plain(first), _plain(second))) in _ONE_WAY_PAIRS


def from_source(first: str, second: str) -> tuple[str, str]:
    """Two columns in the order in which rows lead, where their names say it.

    >>> from pulink.graph.tables.kind_words import from_source
    >>> from_source("cited", "citing"), from_source("b", "a")
    (('citing', 'cited'), ('b', 'a'))
    """
    return (second, first) if (_plain(second), _plain(first)) in _LEADING else (first, second)


def has_two_sides(first: str, second: str) -> bool:
    """Whether the names of two columns say that they hold two kinds of things.

    >>> from pulink.graph.tables.kind_words import has_two_sides
    >>> has_two_sides("userId", "movieId"), has_two_sides("Items", "User"), has_two_sides("node1", "node2")
    (True, True, False)
    """
    return frozenset((_plain(first), _plain(second))) in _TWO_SIDED_PAIRS


def has_two_groups(first: str, second: str) -> bool:
    """Whether two columns of Neo4j name different groups of ids.

    >>> from pulink.graph.tables.kind_words import has_two_groups
    >>> has_two_groups(":START_ID(Person)", ":END_ID(Movie)"), has_two_groups(":START_ID", ":END_ID")
    (True, False)
    """
    groups = [re.fullmatch(r":(?:START|END)_ID\((.+)\)", name[:_READ]) for name in (first, second)]
    return all(groups) and len({group[1] for group in groups if group}) == 2


def telling_columns(columns: list[str]) -> tuple[str, str] | None:
    """The first two columns, in their order, whose names tell a kind."""
    plain = {name: _plain(name) for name in columns}
    for place, first in enumerate(columns):
        if plain[first] in _KNOWN:
            for second in columns[place + 1 :]:
                pair = frozenset((plain[first], plain[second]))
                if pair in _ONE_WAY_PAIRS or pair in _TWO_SIDED_PAIRS:
                    return first, second
    return None
