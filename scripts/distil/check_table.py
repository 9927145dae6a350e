#!/usr/bin/env python3
"""Checks a table: reading and writing it gives the same bytes, and the fit finds a table that is known.

    check_table.py TABLE
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from fit import count_pieces, fit_table, held_out_cosine
from table import read_table, write_table


def check_bytes(path: Path) -> None:
    """Packing the table's own weights must give the file again."""
    weights, vocabulary, header = read_table(path)
    about = {key: header[key] for key in ("teacher", "lowercase", "texts")}
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "table.bin"
        write_table(again, weights, vocabulary, about)
        assert again.read_bytes() == path.read_bytes(), "packing the table again gives other bytes"
    print(f"{path}: {len(vocabulary)} rows of {weights.shape[1]}, packed again to the same bytes")


def check_fit() -> None:
    """From made-up texts whose vectors a known table makes, the fit must come near to that table's vectors."""
    random = np.random.default_rng(1)
    size, dimensions, texts = 300, 16, 8000
    truth = random.normal(size=(size, dimensions)).astype(np.float32)
    rows = [random.integers(0, size, random.integers(5, 30)) for _ in range(texts)]
    counts = count_pieces(rows, size)
    targets = counts @ truth
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    start = truth + random.normal(size=truth.shape).astype(np.float32)
    before = held_out_cosine(counts, targets, start)
    after = held_out_cosine(counts, targets, fit_table(counts, targets, start, pull=0.3))
    assert after > 0.99 > before, f"the fit went from a cosine of {before:.3f} to {after:.3f} only"
    print(f"fit: cosine on texts held out {before:.3f} before, {after:.4f} after")


if __name__ == "__main__":
    check_bytes(Path(sys.argv[1]))
    check_fit()
