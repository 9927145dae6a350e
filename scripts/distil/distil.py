#!/usr/bin/env python3
"""Distils a sentence embedding model into a table with one vector per word piece. See README.md."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from fit import count_pieces, fit_table, held_out_cosine, principal_directions, starting_table
from numpy.typing import NDArray
from table import Table, write_table
from teacher import Teacher

CHUNK = 8000
"""Number of texts to embed between two saves."""
DIRECTIONS = 256
"""Number of fitted columns; the table keeps the first `--dims` of them."""


def main() -> None:
    """Runs every step. Slow results are kept in the cache folder and reused by the next run."""
    args = parse_arguments()
    args.cache.mkdir(parents=True, exist_ok=True)
    teacher = Teacher(args.model)

    pieces = cached(args.cache / "pieces.npy", teacher.embed_pieces)
    texts = [text for _, text in json.loads(args.texts.read_text())]
    vectors = embed_all(teacher, texts, args.cache, deadline=time.monotonic() + 60 * args.minutes)
    texts = texts[: len(vectors)]
    projection = cached(args.cache / "projection.npy", lambda: principal_directions(vectors, DIRECTIONS))

    counts = count_pieces(teacher.rows_of(texts), len(teacher.vocabulary.pieces))
    targets = vectors @ projection
    table = fit_table(counts, targets, starting_table(pieces, projection), args.pull)
    print(f"{len(texts)} texts; mean cosine to the teacher on held-out texts: {held_out_cosine(counts, targets, table):.4f}")

    about = {"teacher": args.teacher, "lowercase": True, "texts": len(texts)}
    write_table(args.out, Table(table[:, : args.dims], teacher.vocabulary.pieces, about))
    print(f"{args.out}: {args.out.stat().st_size} bytes")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder with tokenizer.json, onnx/model.onnx and onnx/model_quantized.onnx")
    parser.add_argument("texts", type=Path, help="JSON file: a list of [source, text]")
    parser.add_argument("cache", type=Path, help="folder for what takes long to compute")
    parser.add_argument("out", type=Path, help="the table to write")
    parser.add_argument("--dims", type=int, default=DIRECTIONS, help="columns of the table (default %(default)s)")
    parser.add_argument("--pull", type=float, default=0.3, help="how strongly rows stay where they start (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=20, help="time for embedding texts; those left wait for the next run")
    parser.add_argument(
        "--teacher",
        default="sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)",
        help="name and license of the model, for the header (default %(default)s)",
    )
    return parser.parse_args()


def embed_all(teacher: Teacher, texts: list[str], cache: Path, deadline: float) -> NDArray[np.float32]:
    """Returns the teacher's vectors of the texts embedded before the deadline, in this run or earlier ones."""
    for start in range(0, len(texts), CHUNK):
        path = cache / f"texts-{start // CHUNK:03}.npy"
        if path.exists():
            continue
        if time.monotonic() > deadline:
            break
        np.save(path, teacher.embed_texts(texts[start : start + CHUNK]).astype(np.float16))
    saved = [np.load(path) for path in sorted(cache.glob("texts-*.npy"))]
    return np.concatenate(saved).astype(np.float32)


def cached(path: Path, compute: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32]:
    """Loads an earlier run's result, or computes and saves it."""
    if not path.exists():
        np.save(path, compute())
    return np.load(path)


if __name__ == "__main__":
    main()
