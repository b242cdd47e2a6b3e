"""Metrics, evidence, abstention, attribution and statistics: pure functions on plain values and numpy."""

from __future__ import annotations

from assay.evaluation.abstention import Answer, abstention_block, auroc, risk_coverage
from assay.evaluation.advice import QueryOutcome, advice
from assay.evaluation.attribution import CAUSES, MissFacts, cause_of
from assay.evaluation.bounds import Bound, floor_and_ceiling
from assay.evaluation.evidence import Extent, score_evidence
from assay.evaluation.intervals import CI_METHOD, Estimate, estimate, mean_interval, paired_bootstrap_interval
from assay.evaluation.measures import score_rankings
from assay.evaluation.names import (
    FAMILIES,
    HEADLINE,
    NEEDS_RUN,
    NEEDS_SPANS,
    READING_BUDGET,
    WITH_BOUNDS,
    Metric,
    expand,
    headline,
    in_order,
    parse,
)
from assay.evaluation.paired import PairedDifference, paired_difference
from assay.evaluation.reranking import perfect_order
from assay.evaluation.result import Evaluation, evaluate
from assay.evaluation.summary import summarise

__all__ = [
    "CAUSES",
    "CI_METHOD",
    "FAMILIES",
    "HEADLINE",
    "NEEDS_RUN",
    "NEEDS_SPANS",
    "READING_BUDGET",
    "WITH_BOUNDS",
    "Answer",
    "Bound",
    "Estimate",
    "Evaluation",
    "Extent",
    "Metric",
    "MissFacts",
    "PairedDifference",
    "QueryOutcome",
    "abstention_block",
    "advice",
    "auroc",
    "cause_of",
    "estimate",
    "evaluate",
    "expand",
    "floor_and_ceiling",
    "headline",
    "in_order",
    "mean_interval",
    "paired_bootstrap_interval",
    "paired_difference",
    "parse",
    "perfect_order",
    "risk_coverage",
    "score_evidence",
    "score_rankings",
    "summarise",
]
