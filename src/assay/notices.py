"""What a user should know of a run besides its numbers."""

from __future__ import annotations

from assay.config import Config
from assay.errors import ConfigError
from assay.filters import Allowed
from assay.golden import GoldenSet
from assay.results import Reporter
from assay.retrieval import Unfilled
from assay.scores import Scores


class Warnings:
    """Collects what a user should know, once each, in order."""

    def __init__(self, reporter: Reporter) -> None:
        self.lines: list[str] = []
        self._reporter = reporter

    def add(self, text: str) -> None:
        """Keep ``text`` for the manifest and tell the reporter."""
        if text not in self.lines:
            self.lines.append(text)
            self._reporter.warn(text)

    def about_golden_set(self, golden: GoldenSet) -> None:
        """What reading left out or what can never be found."""
        counts = golden.counts
        if counts.dropped_judgements or counts.dropped_spans:
            self.add(
                f"{counts.dropped_judgements} judgements and {counts.dropped_spans} spans of unknown ids were dropped "
                f"(first: {golden.dropped[0]})"
            )
        if counts.empty_documents:
            self.add(f"{counts.empty_documents} documents are empty and can't be found")

    def about_filter(self, config: Config, golden: GoldenSet, allowed: Allowed | None) -> None:
        """How much the filter leaves, and how many relevant documents it takes away."""
        if allowed is None:
            return
        places = {document.id: place for place, document in enumerate(golden.documents)}
        removed = affected = relevant = 0
        for i, query in enumerate(golden.evaluated):
            mask = allowed.mask(i)
            wanted = [places[doc_id] for doc_id, grade in golden.qrels.get(query.id, {}).items() if grade > 0]
            lost = sum(not mask[place] for place in wanted)
            removed, affected, relevant = removed + lost, affected + bool(lost), relevant + len(wanted)
        if removed:
            self.add(f"filter.where removes {removed} of {relevant} relevant documents ({affected} queries)")
        for note in allowed.notes:
            self.add(note)
        for field, count in allowed.missing.items():
            self.add(
                f"filter.where: {count} of {len(golden.evaluated)} queries have no {field!r} in their metadata, so that "
                "condition was left out for them"
            )

    def about_unfilled(self, config: Config, unfilled: Unfilled) -> None:
        """Where the index came back with fewer chunks than were asked for and are there."""
        kind, right = config.index.kind, "lower retriever.depth"
        if "nprobe" in type(config.index).model_fields:
            right = "raise index.nprobe"
        elif kind == "factory":
            right = "raise nprobe in index.search where it has cells"
        self.add(
            f"index={kind}: {unfilled.slots} of {unfilled.of} slots unfilled ({unfilled.queries} queries got fewer chunks "
            f"than asked, {config.retriever.depth}); {right}"
        )

    def about_scores(self, config: Config, golden: GoldenSet, scores: Scores) -> None:
        """Whether the numbers can tell anything."""
        if max(config.evaluation.ks) * 10 >= golden.counts.documents:
            self.add(
                f"k={max(config.evaluation.ks)} is a tenth or more of the {golden.counts.documents} documents: "
                "scores at that cutoff are close to their ceiling by chance"
            )

    def about_own_judgements(self, golden: GoldenSet, own: int) -> None:
        """What ``evaluation.exclude_self`` left out; a ConfigError if that leaves nothing to evaluate."""
        if not golden.evaluated:
            raise ConfigError("evaluation.exclude_self: true leaves no query with a relevant document; use false here")
        if own:
            self.add(f"{own} judgements of a query's own document were left out (evaluation.exclude_self)")
