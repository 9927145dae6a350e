"""Turns the teacher's vectors into a table: projection, initial table and least-squares fit.

A text's vector is the sum of its pieces' rows. With `counts` (texts × pieces), the fit looks for a table T for which
`counts @ T`, with each row normalized, is closest to the teacher's vectors: a linear problem once the lengths are fixed.
"""

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

# Arora, Liang, Ma: A simple but tough-to-beat baseline for sentence embeddings (2017): a / (a + frequency).
SIF_A = 1e-4
# The first texts are held out, to measure the fit on unseen texts.
HELD_OUT = 2000
# Texts for computing the projection: every fourth of the first 40,000 is enough for 256 directions.
PROJECTION_TEXTS = slice(0, 40_000, 4)
FIRST_STEPS = 18
SECOND_STEPS = 12


def principal_directions(vectors: Matrix, dimensions: int) -> Matrix:
    """Projection (columns) onto the directions in which the vectors are largest, the most important first.

    Not centered, because we compare cosines. Thanks to the order, the first n columns form the best n-column table.
    """
    return np.linalg.svd(vectors[PROJECTION_TEXTS], full_matrices=False)[2][:dimensions].T


def starting_table(pieces: Matrix, projection: Matrix) -> Matrix:
    """The recipe of Model2Vec: pieces centered, projected, and weighted by how rare they are.

    A piece's frequency is estimated from its rank in the vocabulary (Zipf), which BERT ordered by frequency.
    """
    frequency = 1 / (np.arange(len(pieces)) + 2)
    frequency /= frequency.sum()
    rarity = SIF_A / (SIF_A + frequency)
    return ((pieces - pieces.mean(axis=0)) @ projection * rarity[:, None]).astype(np.float32)


def count_pieces(rows: list[NDArray[np.int64]], size: int) -> sparse.csr_matrix:
    """How often each piece (column) occurs in each text (row)."""
    ends = np.concatenate([[0], np.cumsum([len(found) for found in rows])])
    ones = np.ones(ends[-1], np.float32)
    counts = sparse.csr_matrix((ones, np.concatenate(rows), ends), shape=(len(rows), size))
    counts.sum_duplicates()
    return counts


def fit_table(counts: sparse.csr_matrix, targets: Matrix, start: Matrix, pull: float | Matrix) -> Matrix:
    """Fits the table that brings texts closest to `targets` (projected unit vectors), regularized towards `start`.

    1. Assume length √n for a text of n pieces, as for a sum of unrelated vectors.
    2. Fit again with the lengths from the first table, which optimizes the cosine.

    `pull` keeps rows of rare pieces near their start, since few texts determine them. It is one number, or a column with one for
    each piece.
    """
    fitted, wanted = counts[HELD_OUT:], targets[HELD_OUT:]
    by_count = _scaled(fitted, 1 / np.sqrt(np.maximum(_sums(fitted), 1)))
    table = solve(by_count, wanted, _best_multiple(by_count @ start, wanted) * start, pull, FIRST_STEPS)
    by_length = _scaled(fitted, 1 / np.maximum(np.linalg.norm(fitted @ table, axis=1), 1e-3))
    return solve(by_length, wanted, table, pull, SECOND_STEPS)


def held_out_cosine(counts: sparse.csr_matrix, targets: Matrix, table: Matrix) -> float:
    """Mean cosine to the teacher on held-out texts."""
    ours, theirs = _unit(counts[:HELD_OUT] @ table), _unit(targets[:HELD_OUT])
    return float((ours * theirs).sum(axis=1).mean())


def solve(a: sparse.csr_matrix, b: Matrix, start: Matrix, pull: float | Matrix, steps: int) -> Matrix:
    """Minimizes |A T - B|² + pull |T - start|² by conjugate gradients on the normal equations.

    Solves all columns at once, each with its own steps. Preconditioned by the diagonal, because piece frequencies differ by orders
    of magnitude. Stopping early also pulls towards `start`.
    """
    transposed = a.T.tocsr()
    preconditioner = (1 / (_sums(a.multiply(a), axis=0)[:, None] + pull)).astype(np.float32)
    table = start.copy()
    residual = transposed @ (b - a @ table)
    scaled = preconditioner * residual
    direction = scaled.copy()
    size = (residual * scaled).sum(axis=0)
    for _ in range(steps):
        image = transposed @ (a @ direction) + pull * direction
        step = size / np.maximum((direction * image).sum(axis=0), 1e-20)
        table += step * direction
        residual -= step * image
        scaled = preconditioner * residual
        previous, size = size, (residual * scaled).sum(axis=0)
        direction = scaled + (size / np.maximum(previous, 1e-20)) * direction
    return table


def _best_multiple(ours: Matrix, wanted: Matrix) -> float:
    """The factor that brings `ours` closest to `wanted`."""
    return float((ours * wanted).sum() / (ours * ours).sum())


def _scaled(counts: sparse.csr_matrix, factors: NDArray[np.floating]) -> sparse.csr_matrix:
    return (sparse.diags(factors.astype(np.float32)) @ counts).tocsr()


def _sums(matrix: sparse.spmatrix, axis: int = 1) -> NDArray[np.floating]:
    return np.asarray(matrix.sum(axis)).ravel()


def _unit(vectors: Matrix) -> Matrix:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
