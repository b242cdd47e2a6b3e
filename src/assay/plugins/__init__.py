"""Components of the user's own: installed entry points behind the faces of assay's own stages.

A config names a plugin by its entry point, and only what is installed can be named. Its code is loaded when the stage
first needs it, and whatever it does wrong is a ``StageError`` of one line that names it.

==================  =====================================================================================
group               a class, made with the config's ``params``
==================  =====================================================================================
assay.chunkers      ``pieces(text) -> [(start, end), …]``, code point offsets, in order
assay.embedders     ``embed(texts, role) -> array (n, d)``, role ``"document"`` or ``"query"``
assay.retrievers    ``index(texts)``, once, then ``search(query, k) -> [(text number, score), …]``
assay.rerankers     ``scores(query, texts) -> [score, …]``
==================  =====================================================================================

Higher scores are better. ``deterministic = True`` on the class promises equal bits for equal inputs, whatever else is in
the same call. ``identity() -> dict`` of plain values adds to what makes results comparable and vectors reusable: the
entry point, its distribution and version, the source file of the class, and ``params`` always do.
"""

from __future__ import annotations

from assay.plugins.chunker import PluginChunker
from assay.plugins.component import Component, check, described, unequal_bits, versions
from assay.plugins.embedder import PluginEmbedder
from assay.plugins.reranker import PluginReranker
from assay.plugins.retriever import PluginRetrieval, PluginStage

__all__ = [
    "Component",
    "PluginChunker",
    "PluginEmbedder",
    "PluginReranker",
    "PluginRetrieval",
    "PluginStage",
    "check",
    "described",
    "unequal_bits",
    "versions",
]
