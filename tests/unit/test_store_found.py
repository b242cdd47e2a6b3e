"""What a first stage found, as bytes and back; damage and strangers' bytes are refused."""

from __future__ import annotations

import numpy as np
import pytest

from assay.ranking import Hits
from assay.retrieval.stage import State
from assay.store.arrays import from_bytes, to_bytes
from assay.store.found import Found, pack_found, unpack_found


def hits(*rows: int) -> Hits:
    return Hits(np.array(rows, np.int64), np.linspace(1, 0.5, len(rows)), np.zeros(len(rows), np.int64))


FOUND = Found(
    [hits(3, 1), hits(), hits(0)],
    State({"served": [np.array([3, 1, 2]), np.empty(0, np.int64), np.array([0])]}, {"unfilled": {"slots": 2}}),
)


def test_there_and_back() -> None:
    back = unpack_found(pack_found(FOUND), 3, 4)
    for before, after in zip(FOUND.hits, back.hits, strict=True):
        assert before.rows.tolist() == after.rows.tolist()
        assert before.scores.tolist() == after.scores.tolist()
        assert before.stages.tolist() == after.stages.tolist()
    assert [each.tolist() for each in back.state.lists["served"]] == [[3, 1, 2], [], [0]]
    assert back.state.values == {"unfilled": {"slots": 2}}
    assert pack_found(FOUND) == pack_found(back)


def test_no_query_at_all() -> None:
    assert unpack_found(pack_found(Found([], State({"served": []}, {}))), 0, 5).hits == []


@pytest.mark.parametrize(("queries", "chunks"), [(2, 4), (4, 4), (3, 3)])
def test_what_is_of_another_run_is_refused(queries: int, chunks: int) -> None:
    """Row 3 is outside three chunks; two or four queries are not three."""
    with pytest.raises(ValueError):
        unpack_found(pack_found(FOUND), queries, chunks)


def test_other_arrays_are_refused() -> None:
    with pytest.raises(ValueError):
        unpack_found(to_bytes({"x": np.arange(3)}), 3, 4)
    parts, meta = from_bytes(pack_found(FOUND))
    parts["hits"] = parts["hits"][:-1]
    with pytest.raises(ValueError):
        unpack_found(to_bytes(parts, meta), 3, 4)
