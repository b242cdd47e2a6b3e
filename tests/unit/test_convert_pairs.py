"""The compact table of judgements says what a dictionary says."""

from __future__ import annotations

import random

from assay.golden.convert.pairs import Pairs


def test_as_a_dictionary() -> None:
    chance = random.Random(3)
    pairs, plain = Pairs(), dict[tuple[int, int], int]()
    for _ in range(3000):
        query, document = chance.randrange(400), chance.choice((0, 1, 7, 2**31))
        grade = chance.choice((-1_000_000, -1, 0, 0, 1, 2, 1_000_000))
        assert pairs.grade(query, document) == plain.get((query, document))
        if (query, document) not in plain:
            pairs.add(query, document, grade)
            plain[query, document] = grade
    for query in range(402):
        grades = [grade for (one, _), grade in plain.items() if one == query]
        assert pairs.judged(query) == bool(grades)
        assert pairs.positive(query) == any(grade > 0 for grade in grades)
    assert pairs.any_positive()
    assert not Pairs().any_positive()
