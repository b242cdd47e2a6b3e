"""Terms with their endings taken off, by the Snowball stemmers of PyStemmer.

Porter (1980), "An algorithm for suffix stripping"; Porter (2001), "Snowball: A language for stemming algorithms".
Stop words stay: BM25 gives them next to no weight.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.config.models import Stemmer
from assay.words import terms

NO_STEMMER = "none"


def terms_by(stemmer: Stemmer) -> Callable[[str], list[str]]:
    """What turns a text into its terms, in order: ``assay.words.terms``, each then stemmed.

    A term that the algorithm knows nothing of stays as it is: numbers, and words of another script.
    """
    if stemmer == NO_STEMMER:
        return terms
    import Stemmer as snowball

    return partial(_stemmed, snowball.Stemmer(stemmer))


def _stemmed(algorithm: Any, text: str) -> list[str]:
    words = terms(text)
    return [stem or word for stem, word in zip(algorithm.stemWords(words), words, strict=True)]
