"""The space of the multilingual table: the teacher's vectors without the language component, in fewer columns."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

SINGULAR_POWER = -0.5
"""Each direction is scaled by this power of its variance, because a few directions dominate the teacher's vectors."""
DIRECTION_TEXTS = 60_000
SHRINK = 20
"""A language's mean is weighted by its number of texts; with this many, by one half."""


def language_means(vectors: Matrix, languages: list[str], keys: list[str | None]) -> dict[str, Matrix]:
    """The mean vector of each language, corrected for the topics of its texts.

    Texts with the same key are translations, so their differences show the language alone.
    """
    by_key: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        if key is not None:
            by_key[key].append(place)
    groups = [np.array(places) for places in by_key.values() if len(places) > 1]
    sums: dict[str, NDArray[np.float64]] = defaultdict(lambda: np.zeros(vectors.shape[1]))
    counts: dict[str, int] = defaultdict(int)
    for places in groups:
        differences = vectors[places] - vectors[places].mean(axis=0)
        for place, difference in zip(places, differences, strict=True):
            sums[languages[place]] += difference
            counts[languages[place]] += 1
    everywhere = vectors[np.concatenate(groups)].mean(axis=0) if groups else vectors.mean(axis=0)
    return {
        language: (everywhere + sums[language] / (counts[language] + SHRINK)).astype(np.float32) for language in sorted(set(languages))
    }


def without_language(vectors: Matrix, languages: list[str], means: dict[str, Matrix]) -> Matrix:
    return unit(vectors - np.stack([means[language] for language in languages]))


def directions(vectors: Matrix, columns: int) -> Matrix:
    """Projection onto the directions of greatest variance, most important first, with the variances made more equal."""
    chosen = vectors if len(vectors) <= DIRECTION_TEXTS else vectors[:DIRECTION_TEXTS]
    _, singular, found = np.linalg.svd(chosen, full_matrices=False)
    return (found[:columns].T * singular[:columns] ** SINGULAR_POWER).astype(np.float32)


def unit(vectors: Matrix) -> Matrix:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
