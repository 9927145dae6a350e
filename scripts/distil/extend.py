#!/usr/bin/env python3
"""Adds rows for new scripts to a multilingual table. Existing rows do not change.

Texts in known languages keep their vectors, because only words with unknown characters use the new pieces.
"""

import argparse
import json
import unicodedata
from pathlib import Path

import numpy as np
from e5 import TEACHER
from fit import count_pieces, fit_table
from multilingual import Fitted, own_vectors, read_vectors, starting_rows, vocabulary
from pieces import WORD_START, Cutter, Piece
from space import Matrix, language_means, unit, without_language
from table import Table, read_table, write_table

HOLD = 1e6
"""How strongly the fit holds on to existing rows."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="the texts that texts.py wrote")
    parser.add_argument("cache", type=Path, help="the folder of embed_texts.py")
    parser.add_argument("earlier", type=Path, help="the table to extend")
    parser.add_argument("out", type=Path, help="the table to write")
    parser.add_argument("--languages", default="km,my,pa", help="new languages for the header: those in which the rows were found to help (default %(default)s)")
    parser.add_argument("--pull", type=float, default=0.3, help="how strongly new rows stay where they start (default %(default)s)")
    parser.add_argument("--first", type=int, default=None, help="only so many texts, from the start")
    parser.add_argument("--name", default="multilingual-e5-small-2", help="the new table's name (default %(default)s)")
    args = parser.parse_args()
    entries = [json.loads(line) for line in args.texts.open()]
    earlier = read_table(args.earlier)
    possible = vocabulary([entry["text"] for entry in entries], len(earlier.vocabulary))
    new = new_pieces(earlier, possible)
    fitted = read_vectors(entries, args.cache, args.first)
    table = extend(earlier, new, own_vectors(new, args.cache), fitted, args.pull)
    table.about["name"] = args.name
    table.about["languages"] = sorted({*table.about["languages"], *args.languages.split(",")})
    write_table(args.out, table)
    print(f"{args.out}: {len(new)} new pieces, {args.out.stat().st_size} bytes; languages: {' '.join(map(str, table.about['languages']))}")


def pieces_of(table: Table) -> list[Piece]:
    assert table.log_probabilities is not None
    pairs = zip(table.vocabulary, table.log_probabilities.tolist(), strict=True)
    return [Piece(text, log_probability) for text, log_probability in pairs]


def new_pieces(earlier: Table, possible: list[Piece]) -> list[Piece]:
    """Returns the pieces with a character that no existing piece has."""
    known = set("".join(earlier.vocabulary))
    return [piece for piece in possible if not known.issuperset(piece.text.replace(WORD_START, ""))]


def is_of_emoji(piece: Piece) -> bool:
    """Whether a piece has marks that only change a character's appearance, such as emoji variants."""
    return any(unicodedata.category(character) == "Me" or "VARIATION SELECTOR" in unicodedata.name(character, "") for character in piece.text)


def extend(earlier: Table, new: list[Piece], own: Matrix, fitted: Fitted, pull: float) -> Table:
    old_rows, columns = earlier.weights.shape
    pieces = pieces_of(earlier) + new
    counts = count_pieces(Cutter(pieces).rows_of(fitted.texts), len(pieces))
    weights = earlier.weights.astype(np.float32)
    known = np.isin(fitted.languages, earlier.about["languages"])
    centered = without_language(fitted.vectors, fitted.languages, language_means(fitted.vectors, fitted.languages, fitted.keys))
    # The space of the existing table: predicts its text vectors from the teacher's.
    projection = np.linalg.lstsq(centered[known], unit(counts[known][:, :old_rows] @ weights))[0]
    targets = unit(centered @ projection)
    starts = starting_rows(own, np.asarray(counts.sum(axis=0)).ravel()[old_rows:], projection)
    start = np.concatenate([weights, starts])
    hold = np.full((len(pieces), 1), pull, np.float32)
    hold[:old_rows] = HOLD
    fit = fit_table(counts, targets, start, hold)
    # Undo any overall scaling by the fit.
    scale = float((fit[:old_rows] * weights).sum() / (weights * weights).sum())
    kept = np.array([*range(old_rows), *(old_rows + place for place, piece in enumerate(new) if not is_of_emoji(piece))])
    both = np.concatenate([earlier.weights, fit[old_rows:] / scale])[kept]
    pieces = [pieces[place] for place in kept]
    about = {
        "name": earlier.about["name"],
        "teacher": TEACHER,
        "texts": int(str(earlier.about["texts"])) + int((counts[:, old_rows:].sum(axis=1) > 0).sum()),
        "languages": earlier.about["languages"],
    }
    probabilities = np.array([piece.log_probability for piece in pieces], np.float32)
    return Table(both, [piece.text for piece in pieces], about, probabilities)


if __name__ == "__main__":
    main()
