#!/usr/bin/env python3
"""Checks that tables survive a round trip byte for byte, and that the fit recovers a known table.

    check_table.py TABLE...
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from fit import count_pieces, fit_table, held_out_cosine
from table import read_table, write_table


def check_bytes(path: Path) -> None:
    """Packing the table's own weights must reproduce the file."""
    table = read_table(path)
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / "table.bin"
        write_table(again, table)
        assert again.read_bytes() == path.read_bytes(), "packing the table again gives other bytes"
    rows, columns = table.weights.shape
    print(f"{path}: {rows} rows of {columns}, packed again to the same bytes")


def check_fit() -> None:
    """Given synthetic texts with vectors from a known table, the fit must come close to those vectors."""
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
    print(f"fit: cosine on held-out texts {before:.3f} before, {after:.4f} after")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        check_bytes(Path(argument))
    check_fit()
