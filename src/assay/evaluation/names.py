"""Names of metrics (``recall@5``, ``mrr``, ``evidence_recall@2000w``), their families, order and needs.

A family is a measure without its cutoff. A name is a family, ``@``, and a cutoff: ``k`` documents (for
evidence: ``k`` hits), or a reading budget of so many words. ``mrr`` may stand without a cutoff and then runs
over the whole ranking; ``rprec`` has none, since its cutoff is each query's own number of relevant documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from assay.errors import AssayError
from assay.records import METRIC_FAMILIES

FAMILIES = METRIC_FAMILIES
READING_BUDGET = 2000  # words; what evidence_recall's budget is when nobody names another
HEADLINE: tuple[str, ...] = ("recall@5", "ndcg@10", "mrr@10", "handled@5")

NEEDS_SPANS = frozenset({"evidence_recall", "evidence_precision", "evidence_iou"})
NEEDS_RUN = NEEDS_SPANS | {"handled", "index_recall"}  # more than a ranking and its judgements
WITH_BOUNDS = frozenset({"recall", "precision", "hit", "mrr", "ndcg", "ndcg_exp", "map", "rprec"})

_WITHOUT_CUTOFF = frozenset({"mrr", "rprec"})
_WITHOUT_K = frozenset({"rprec"})
_WITH_WORDS = frozenset({"evidence_recall"})
_OTHER_TOOLS = {
    "p": "precision",
    "recip_rank": "mrr",
    "rr": "mrr",
    "success": "hit",
    "hit_rate": "hit",
    "hits": "hit",
    "ndcg_cut": "ndcg",
    "ndcg_burges": "ndcg_exp",
    "map_cut": "map",
    "ap": "map",
    "r-precision": "rprec",
    "r_precision": "rprec",
}
_NAME = re.compile(r"([a-z_]+)(?:@([1-9][0-9]*)(w?))?")


@dataclass(frozen=True, slots=True)
class Metric:
    """A parsed name: its family and at most one of ``k`` (documents, or hits for evidence) and ``words``."""

    family: str
    k: int | None = None
    words: int | None = None

    @property
    def name(self) -> str:
        """The name that parses to this metric."""
        if self.words is not None:
            return f"{self.family}@{self.words}w"
        return self.family if self.k is None else f"{self.family}@{self.k}"


def parse(name: str) -> Metric:
    """The metric that ``name`` stands for; an AssayError that gives the nearest name if there is none."""
    match = _NAME.fullmatch(name)
    family, number, words = match.groups() if match else (name.partition("@")[0], None, "")
    if match is None or family not in FAMILIES:
        raise AssayError(_unknown(name))
    if number is None:
        if family not in _WITHOUT_CUTOFF:
            raise AssayError(f"metric {name!r} needs a cutoff, for example {family}@5")
        return Metric(family)
    if words:
        if family not in _WITH_WORDS:
            raise AssayError(f"metric {name!r}: only evidence_recall has a budget in words; try {family}@5")
        return Metric(family, words=int(number))
    if family in _WITHOUT_K:
        raise AssayError(f"metric {name!r} has no cutoff; write {family}")
    return Metric(family, k=int(number))


def expand(families: str | Sequence[str], ks: Iterable[int]) -> tuple[str, ...]:
    """The full names of ``families`` ("all", one family, or several) over the cutoffs ``ks``.

    The order is FAMILIES' order, then rising cutoffs, whatever order was given. ``mrr`` gives its cut forms
    and the uncut one; ``evidence_recall`` gives its cut forms and the one at the reading budget. An unknown
    family is an AssayError that names the nearest; so is a name that brings its own cutoff.
    """
    wanted = [families] if isinstance(families, str) else list(families)
    for family in wanted:
        if family == "all" or family in FAMILIES:
            continue
        if "@" in family and family.partition("@")[0] in FAMILIES:
            plain = family.partition("@")[0]
            raise AssayError(f"{family!r} has a cutoff; name the family, {plain}: the cutoffs are evaluation.ks")
        raise AssayError(_unknown(family))
    cutoffs = sorted(set(ks))
    names: list[str] = []
    for family in FAMILIES:
        if "all" not in wanted and family not in wanted:
            continue
        if family not in _WITHOUT_K:
            names += [Metric(family, k=k).name for k in cutoffs]
        if family in _WITHOUT_CUTOFF:
            names.append(family)
        if family in _WITH_WORDS:
            names.append(Metric(family, words=READING_BUDGET).name)
    return tuple(names)


def in_order(names: Iterable[str]) -> list[str]:
    """``names``, each once, in the order of files: by family, then rising k, no cutoff, budget in words."""
    return sorted(dict.fromkeys(names), key=_place)


def headline(names: Iterable[str]) -> list[str]:
    """The headline metrics among ``names``; where they have none of one family, that family's last with a cutoff.

    The first four of ``names`` where no headline family is there.
    """
    known = list(names)
    chosen = []
    for name in HEADLINE:
        family = name.partition("@")[0]
        same = [other for other in known if other.partition("@")[0] == family and "@" in other]
        if name in known:
            chosen.append(name)
        elif same:
            chosen.append(same[-1])
    return chosen or known[:4]


def _place(name: str) -> tuple[int, float, int]:
    metric = parse(name)
    k = float("inf") if metric.k is None else float(metric.k)
    return FAMILIES.index(metric.family), k, metric.words or 0


def _unknown(name: str) -> str:
    """The line that says ``name`` is no metric, and which one it may have been meant to be."""
    family, _, cutoff = name.partition("@")
    family = family.strip().lower()
    near = _OTHER_TOOLS.get(family) or next(iter(get_close_matches(family, FAMILIES, n=1, cutoff=0.5)), None)
    if near is None:
        return f"no metric {name!r}; the families are {', '.join(FAMILIES)}"
    if not cutoff:
        return f"no metric {name!r}; did you mean {near}?"
    if not re.fullmatch(r"[1-9][0-9]*", cutoff):
        cutoff = "5"
    return f"no metric {name!r}; did you mean {near if near in _WITHOUT_K else f'{near}@{cutoff}'}?"
