"""Anybody's TREC run scored against anybody's judgements: what ``assay score`` does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import DataError, one_line
from assay.evaluation import Evaluation, evaluate
from assay.runs.trec import decode_id, read_qrels, read_trec

DEFAULT_METRICS: tuple[str, ...] = (
    "recall@1",
    "recall@3",
    "recall@5",
    "recall@10",
    "precision@5",
    "mrr",
    "ndcg@10",
    "map@10",
    "rprec",
    "judged@10",
)
WIDTH = 80  # columns of the tables
SHOWN_QUERIES = 50  # rows of the table of queries; the JSON document has all
_SHOWN_NAMES = 5  # ids that a note spells out
_ID_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Scored:
    """A run's scores, and what a reader must know about how run and judgements met.

    ``missing`` are judged queries that the run lacks (they score 0), ``unjudged`` queries of the run without
    judgements (they are ignored), ``without_relevant`` judged queries without a grade above 0 (in no mean).
    """

    evaluation: Evaluation
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]
    without_relevant: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """``{"metrics": {NAME: {"mean", "ci95", "n"}}, "per_query": {QUERY: {NAME: value}}, "notes"}``."""
        return {
            "metrics": {name: one.as_dict() for name, one in self.evaluation.estimates.items()},
            "per_query": {query: dict(values) for query, values in self.evaluation.per_query.items()},
            "notes": self.notes(),
        }

    def notes(self) -> list[str]:
        """A line for each thing that could make the means other than they look; often none."""
        lines: list[str] = []
        if self.missing:
            lines.append(f"judged but not in the run, scored 0: {_named(self.missing)}")
        if self.unjudged:
            lines.append(f"in the run but not judged, ignored: {_named(self.unjudged)}")
        if self.without_relevant:
            lines.append(f"judged without a relevant document, in no mean: {_named(self.without_relevant)}")
        return lines

    def table(self) -> str:
        """Scores per query, then means with their 95 % intervals, then the notes, in 80 columns."""
        return "\n".join([*self._per_query(), "", *self._means(), *self._notes()])

    def _per_query(self) -> list[str]:
        from rich.cells import cell_len

        queries = list(self.evaluation.per_query)
        names = list(self.evaluation.estimates)
        shown = queries[:SHOWN_QUERIES]
        labels = {query: one_line(query) for query in shown}
        label_width = min(_ID_WIDTH, max([len("query"), *map(cell_len, labels.values())]))
        lines: list[str] = []
        for block in _blocks(names, WIDTH - label_width):
            if lines:
                lines.append("")
            lines.append(_fit("query", label_width) + "".join(f"  {name:>5}" for name in block))
            for query in shown:
                values = self.evaluation.per_query[query]
                cells = (f"  {_number(values[name]):>{max(5, len(name))}}" for name in block)
                lines.append(_fit(labels[query], label_width) + "".join(cells))
        if len(queries) > len(shown):
            lines.append(f"… and {len(queries) - len(shown)} more queries; --json has them all")
        return lines

    def _means(self) -> list[str]:
        width = max(len("metric"), *map(len, self.evaluation.estimates))
        lines = [f"{'metric':<{width}}   mean  95% interval       n"]
        for name, one in self.evaluation.estimates.items():
            interval = "-" if one.ci95 is None else f"{one.ci95[0]:.3f} to {one.ci95[1]:.3f}"
            lines.append(f"{name:<{width}}  {_number(one.mean):>5}  {interval:<14}  {one.n:>6}")
        return lines

    def _notes(self) -> list[str]:
        from textwrap import wrap

        notes = self.notes()
        wrapped = [wrap(f"note: {note}", WIDTH, subsequent_indent="      ", break_on_hyphens=False) for note in notes]
        return ["", *(line for lines in wrapped for line in lines)] if notes else []


def score(run_file: Path, qrels_file: Path, metrics: Sequence[str] | None = None) -> Scored:
    """The ``metrics`` (DEFAULT_METRICS if None) of a TREC run under TREC or BEIR judgements.

    Queries are the judgements'. A fault in a file is a DataError with file:line; so, without a line, is a run
    that shares no query with the judgements, and judgements without any relevant document.
    """
    qrels = read_qrels(qrels_file)
    without_relevant = tuple(query for query, judged in qrels.items() if max(judged.values()) <= 0)
    if len(without_relevant) == len(qrels):
        raise DataError(f"{qrels_file}: no grade above 0: there is nothing to find")
    rankings = _read_run(run_file, qrels)
    if rankings and not rankings.keys() & qrels.keys():
        ours, theirs = next(iter(rankings)), next(iter(qrels))
        raise DataError(f"{run_file}: none of its queries is judged in {qrels_file}: {ours!r} here, {theirs!r} there")
    return Scored(
        evaluation=evaluate(rankings, qrels, DEFAULT_METRICS if metrics is None else metrics),
        missing=tuple(query for query in qrels if query not in rankings),
        unjudged=tuple(query for query in rankings if query not in qrels),
        without_relevant=without_relevant,
    )


def _read_run(run_file: Path, qrels: dict[str, dict[str, int]]) -> dict[str, list[str]]:
    """The run with its ids decoded, unless they plainly were never encoded.

    Other tools' ids may hold ``%20`` as it stands (addresses do). Where the judgements have such ids, the
    reading that meets more judgements is taken, the decoded one where both meet as many.
    """
    decoded = read_trec(run_file)
    if not any(decode_id(text) != text for query, judged in qrels.items() for text in (query, *judged)):
        return decoded
    plain = read_trec(run_file, decode=False)
    return plain if _met(plain, qrels) > _met(decoded, qrels) else decoded


def _met(rankings: dict[str, list[str]], qrels: dict[str, dict[str, int]]) -> int:
    return sum(doc_id in qrels.get(query, {}) for query, ranking in rankings.items() for doc_id in ranking)


def _named(queries: Sequence[str]) -> str:
    names = ", ".join(one_line(query) for query in queries[:_SHOWN_NAMES])
    more = len(queries) - _SHOWN_NAMES
    return f"{len(queries)} ({names}{f' and {more} more' if more > 0 else ''})"


def _blocks(names: Iterable[str], room: int) -> list[list[str]]:
    """``names`` in their order, cut into blocks whose columns fit into ``room``."""
    blocks: list[list[str]] = [[]]
    used = 0
    for name in names:
        width = 2 + max(5, len(name))
        if blocks[-1] and used + width > room:
            blocks.append([])
            used = 0
        blocks[-1].append(name)
        used += width
    return blocks


def _fit(text: str, width: int) -> str:
    """``text`` padded to ``width`` cells of a terminal, or cut to it with an ellipsis."""
    from rich.cells import cell_len, set_cell_size

    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
