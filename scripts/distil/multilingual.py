#!/usr/bin/env python3
"""Builds the multilingual table from the texts and their teacher vectors. See README.md."""

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from e5 import FIRST_PIECE, TEACHER, ModelFile, Teacher, model_path
from fit import SIF_A, count_pieces, fit_table, held_out_cosine
from numpy.typing import NDArray
from pieces import WORD_START, Cutter, Piece, candidates, choose_pieces
from space import Matrix, directions, language_means, unit, without_language
from table import Table, read_table, write_table
from vectors import Store

FEWEST_TEXTS = 300
"""Minimum number of texts for a language to be listed in the table."""
CHUNK = 20_000


@dataclass(frozen=True)
class Fitted:
    """Texts with the teacher's vectors."""

    texts: list[str]
    languages: list[str]
    keys: list[str | None]
    vectors: Matrix


def main() -> None:
    args = parse_arguments()
    began = time.process_time()
    entries = [json.loads(line) for line in args.texts.open()]
    pieces = vocabulary([entry["text"] for entry in entries], args.pieces)
    own = own_vectors(pieces, args.cache)
    fitted = read_vectors(entries, args.cache, args.first)
    table = fit(fitted, pieces, own, args)
    write_table(args.out, table)
    print(f"{args.out}: {args.out.stat().st_size} bytes, {time.process_time() - began:.0f} s of CPU")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="the texts that texts.py wrote")
    parser.add_argument("cache", type=Path, help="the folder of embed_texts.py; vectors of pieces are added")
    parser.add_argument("out", type=Path, help="the table to write")
    parser.add_argument("--pieces", type=int, default=64_000, help="rows (default %(default)s)")
    parser.add_argument("--dims", type=int, default=256, help="columns (default %(default)s)")
    parser.add_argument("--pull", type=float, default=0.3, help="how strongly rows stay where they start (default %(default)s)")
    parser.add_argument("--first", type=int, default=None, help="only so many texts, from the start")
    parser.add_argument("--start", type=Path, default=None, help="an earlier table, made from other texts, to start from")
    parser.add_argument("--hold", type=float, default=16, help="how strongly rows of the earlier table stay (default %(default)s)")
    parser.add_argument("--name", default="multilingual-e5-small-2", help="vectors of tables of other names do not compare (default %(default)s)")
    return parser.parse_args()


def vocabulary(texts: list[str], size: int) -> list[Piece]:
    file = ModelFile(model_path())
    possible = candidates(file.pieces[FIRST_PIECE:], file.log_probabilities[FIRST_PIECE:])
    counts = np.zeros(len(possible), np.int64)
    cutter = Cutter(possible)
    for start in range(0, len(texts), CHUNK):
        counts += np.bincount(np.concatenate(cutter.rows_of(texts[start : start + CHUNK])), minlength=len(possible))
    chosen = choose_pieces(possible, counts, size)
    print(f"{len(possible)} pieces in lower case, {(counts > 0).sum()} in the texts; {len(chosen)} chosen", flush=True)
    return chosen


def own_vectors(pieces: list[Piece], cache: Path) -> Matrix:
    """The teacher's vector of each single piece."""
    texts = [piece.text.replace(WORD_START, "") or "." for piece in pieces]
    store = Store(cache / "pieces")
    store.complete(texts, lambda missing: teacher().embed(missing))
    return store.read(texts)[1]


_teacher: list[Teacher] = []


def teacher() -> Teacher:
    if not _teacher:
        _teacher.append(Teacher())
    return _teacher[0]


def read_vectors(entries: list[dict[str, str]], cache: Path, first: int | None) -> Fitted:
    places, vectors = Store(cache / "texts").read([entry["text"] for entry in entries[:first]])
    found = [entries[place] for place in places]
    return Fitted([e["text"] for e in found], [e["language"] for e in found], [e["key"] for e in found], vectors)


def fit(fitted: Fitted, pieces: list[Piece], own: Matrix, args: argparse.Namespace) -> Table:
    means = language_means(fitted.vectors, fitted.languages, fitted.keys)
    centered = without_language(fitted.vectors, fitted.languages, means)
    projection = directions(centered, args.dims)
    targets = unit(centered @ projection)
    counts = count_pieces(Cutter(pieces).rows_of(fitted.texts), len(pieces))
    start = starting_rows(own, np.asarray(counts.sum(axis=0)).ravel(), projection)
    pull = np.full((len(pieces), 1), args.pull, np.float32)
    if args.start is not None:
        earlier = read_table(args.start)
        start = earlier_rows(earlier, fitted, targets, start, pieces)
        pull[np.isin([piece.text for piece in pieces], earlier.vocabulary)] = args.hold
    weights = fit_table(counts, targets, start, pull)
    print(f"{len(fitted.texts)} texts; mean cosine to the teacher on held-out texts: {held_out_cosine(counts, targets, weights):.4f}")
    many = Counter(fitted.languages)
    about = {
        "name": args.name,
        "teacher": TEACHER,
        "texts": len(fitted.texts),
        "languages": sorted(language for language, count in many.items() if count >= FEWEST_TEXTS),
    }
    log_probabilities = np.array([piece.log_probability for piece in pieces], np.float32)
    return Table(weights, [piece.text for piece in pieces], about, log_probabilities)


def starting_rows(own: Matrix, counts: NDArray[np.floating], projection: Matrix) -> Matrix:
    """Vectors of single pieces, shortened for frequent pieces (the square root of SIF, see fit.py)."""
    share = (counts + 0.5) / (counts + 0.5).sum()
    return ((unit(own - own.mean(axis=0)) @ projection) * np.sqrt(SIF_A / (SIF_A + share))[:, None]).astype(np.float32)


def earlier_rows(earlier: Table, fitted: Fitted, targets: Matrix, start: Matrix, pieces: list[Piece]) -> Matrix:
    """Takes a piece's row from an earlier table, mapped into the new space, if that table has the piece.

    The map that brings the earlier table's text vectors closest to the new targets also maps its rows.
    """
    weights = earlier.weights.astype(np.float32)
    assert earlier.log_probabilities is not None
    pairs = zip(earlier.vocabulary, earlier.log_probabilities.tolist(), strict=True)
    cutter = Cutter([Piece(text, log_probability) for text, log_probability in pairs])
    known = [place for place, language in enumerate(fitted.languages) if language in earlier.about["languages"]]
    vectors = unit(count_pieces(cutter.rows_of([fitted.texts[place] for place in known]), len(weights)) @ weights)
    moved = weights @ np.linalg.lstsq(vectors, targets[known])[0]
    row_of = {text: row for row, text in enumerate(earlier.vocabulary)}
    shared = [(place, row_of[piece.text]) for place, piece in enumerate(pieces) if piece.text in row_of]
    rows = start.copy()
    rows[[place for place, _ in shared]] = moved[[row for _, row in shared]]
    return rows


if __name__ == "__main__":
    main()
