"""A comparison in words: its numbers with signs, its verdicts as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evaluation.paired import UNCLEAR, PairedDifference
from assay.evaluation.randomisation import ALPHA
from assay.reports.text import plain
from assay.runs.comparison import Comparison, verdict


def signed(value: float | None) -> str:
    """Three decimals with a sign, none where it rounds to zero; a dash for none."""
    if value is None:
        return "–"
    return f"{value:+.3f}" if abs(value) >= 0.0005 else "0.000"


def signed_interval(found: PairedDifference) -> str:
    """The 95 % interval of a difference as text."""
    return "" if found.ci95 is None else f"{signed(found.ci95[0])} to {signed(found.ci95[1])}"


def chance(p: float | None) -> str:
    """A p-value in three decimals."""
    return "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def verdict_lines(found: Comparison) -> list[str]:
    """What the comparison found on its first metric, in words."""
    metric = found.metrics[0]
    if is_of_two(found):
        return [_two_in_words(found, metric)]
    told: dict[str, list[str]] = {}
    for pair in found.pairs:
        b, a = found.runs[pair.b].label, found.runs[pair.a].label
        word = verdict(metric, pair.metrics[metric])
        told.setdefault(word, []).append(b if found.baseline is not None else f"{b}-{a}")
    against = f" than {found.runs[found.baseline].label}" if found.baseline is not None else ""
    lines = [
        f"{metric}: {word if word == UNCLEAR else word + against}: {_some(who)}"
        for word, who in sorted(told.items(), key=lambda item: (item[0] == UNCLEAR, item[0]))
    ]
    return [plain(line) for line in lines]


def _two_in_words(found: Comparison, metric: str) -> str:
    pair = found.pairs[0]
    one = pair.metrics[metric]
    a, b = found.runs[pair.a].label, found.runs[pair.b].label
    if one.difference is None:
        return plain(f"{metric}: no query has a value in both, so there is nothing to tell.")
    word = verdict(metric, one)
    said = f"can't tell {b} from {a}" if word == UNCLEAR else f"{b} is {word} than {a}"
    size = "" if one.effect_size is None else f", d_z {one.effect_size:+.2f}"
    return plain(
        f"{metric}: {said}: {signed(one.difference)} over {one.n} quer{'y' if one.n == 1 else 'ies'} (p {_equals(one.p)}{size})."
    )


def _equals(p: float | None) -> str:
    return chance(p) if p is None or p < 0.0005 else f"= {chance(p)}"


def _some(who: Sequence[str], most: int = 12) -> str:
    more = f" and {len(who) - most} more" if len(who) > most else ""
    return ", ".join(who[:most]) + more


def method(found: Comparison) -> str:
    return (
        f"+ = -: queries on which it scores higher, the same, lower. better, worse: p is at most {ALPHA:g}; p is of a "
        f"paired randomisation test ({found.family}). The verdict rests on {found.metrics[0]}; other metrics are "
        "corrected each for itself. 95 % interval: paired bootstrap, of each comparison alone. d_z: Cohen's effect "
        "size, mean / standard deviation of the paired differences."
    )


def is_of_two(found: Comparison) -> bool:
    """Whether two runs were compared, and not more."""
    return len(found.runs) == 2
