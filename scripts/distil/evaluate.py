#!/usr/bin/env python3
"""Compares multilingual tables on a vault with one folder per language: does a note's description find the note?

Notes with the same `permalink` are translations of each other. Descriptions are removed from the notes.
"""

import argparse
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fit import count_pieces
from pieces import Cutter, Piece, normalized
from space import Matrix, unit
from table import read_table

PASSAGE = 1200
"""Characters per passage. A note's score is its best passage's score."""
PASSAGE_UNSPACED = 500
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")
CUTOFF = 10
WEIGHT = 0.5
"""Weight of meaning in mixed scores."""
K1, B = 1.2, 0.5
SAMPLES = 2000


@dataclass(frozen=True)
class Note:
    permalink: str
    description: str
    passages: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vault", type=Path)
    parser.add_argument("tables", type=Path, nargs="+", help="the first one is compared with the others")
    parser.add_argument("--languages", default=None, help="only these folders, with commas between")
    parser.add_argument("--dims", type=int, default=None, help="only so many columns")
    args = parser.parse_args()
    wanted = args.languages.split(",") if args.languages else None
    vaults = {folder.name: read_notes(folder) for folder in sorted(args.vault.iterdir()) if folder.is_dir() and not folder.name.startswith(".")}
    vaults = {name: notes for name, notes in vaults.items() if sum(note.description != "" for note in notes) >= 20}
    english = vaults["en"]
    scored = {name: (notes, lexical_scores(notes)) for name, notes in vaults.items() if wanted is None or name in wanted}
    words = {name: gains(notes, scores) for name, (notes, scores) in scored.items()}
    columns: list[dict[str, dict[str, list[float]]]] = []
    for path in args.tables:
        embedder = Embedder(path, args.dims)
        english_vectors = embedder.notes(english)
        found: dict[str, dict[str, list[float]]] = {"alone": {}, "mixed": {}, "from English": {}, "to English": {}}
        for name, (notes, lexical) in scored.items():
            vectors = embedder.notes(notes)
            queries = embedder.texts([note.description for note in notes if note.description])
            meaning = best_passages(queries, vectors)
            found["alone"][name] = gains(notes, meaning)
            found["mixed"][name] = gains(notes, (1 - WEIGHT) * spread(lexical) + WEIGHT * spread(meaning))
            if name != "en":
                questions = embedder.texts([note.description for note in english if note.description])
                found["from English"][name] = recalls(english, notes, best_passages(questions, vectors))
                found["to English"][name] = recalls(notes, english, best_passages(queries, english_vectors))
        columns.append(found)
    report(words, columns, [path.name for path in args.tables])


def read_notes(folder: Path) -> list[Note]:
    notes = []
    for path in sorted(folder.rglob("*.md")):
        match = re.match(r"---\n(.*?)\n---\n(.*)", path.read_text(), re.S)
        properties, body = (match[1], match[2]) if match else ("", path.read_text())
        values = dict(re.findall(r"^(permalink|description): *(.+)$", properties, re.M))
        text = f"{path.stem}\n\n{body}"
        notes.append(Note(values.get("permalink", ""), values.get("description", "").strip("'\" "), passages(path.stem, text)))
    return notes


def passages(title: str, text: str) -> list[str]:
    longest = PASSAGE_UNSPACED if len(UNSPACED.findall(text)) > 0.2 * len(text) else PASSAGE
    parts = [title]
    for paragraph in re.split(r"\n\s*\n", text):
        if len(parts[-1]) + len(paragraph) > longest and parts[-1] != title:
            parts.append(title)
        parts[-1] += f"\n{paragraph}"
    return parts


class Embedder:
    """Embeds texts with a table."""

    def __init__(self, path: Path, columns: int | None) -> None:
        table = read_table(path)
        assert table.log_probabilities is not None, f"{path} is not a multilingual table"
        self._weights = table.weights[:, :columns].astype(np.float32)
        pairs = zip(table.vocabulary, table.log_probabilities.tolist(), strict=True)
        self._cutter = Cutter([Piece(text, log_probability) for text, log_probability in pairs])

    def texts(self, texts: list[str]) -> Matrix:
        return unit(count_pieces(self._cutter.rows_of(texts), len(self._weights)) @ self._weights)

    def notes(self, notes: list[Note]) -> list[Matrix]:
        vectors = self.texts([passage for note in notes for passage in note.passages])
        return np.split(vectors, np.cumsum([len(note.passages) for note in notes])[:-1])


def best_passages(queries: Matrix, notes: list[Matrix]) -> Matrix:
    """Scores, with one row per query and one column per note."""
    return np.stack([(queries @ note.T).max(axis=1) for note in notes], axis=1)


def words_of(text: str) -> list[str]:
    """Splits text into words, or into character pairs in scripts without spaces."""
    found: list[str] = []
    for word in normalized(text).split():
        found += [word[place : place + 2] for place in range(max(1, len(word) - 1))] if UNSPACED.search(word) else [word]
    return found


def lexical_scores(notes: list[Note]) -> Matrix:
    """BM25 scores of each description for each note."""
    counts = [Counter(words_of(" ".join(note.passages))) for note in notes]
    lengths = np.array([sum(count.values()) for count in counts])
    factors = K1 * (1 - B + B * lengths / lengths.mean())
    frequency = Counter(word for count in counts for word in count)
    rows = []
    for note in notes:
        if note.description:
            row = np.zeros(len(notes))
            for word in set(words_of(note.description)):
                occurrences = np.array([count[word] for count in counts])
                rarity = math.log(1 + (len(notes) - frequency[word] + 0.5) / (frequency[word] + 0.5))
                row += rarity * occurrences * (K1 + 1) / (occurrences + factors)
            rows.append(row)
    return np.array(rows, np.float32)


def spread(scores: Matrix) -> Matrix:
    least, most = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    return (scores - least) / np.maximum(most - least, 1e-9)


def gains(notes: list[Note], scores: Matrix) -> list[float]:
    """nDCG@10 of each description; only its own note is correct."""
    rights = [place for place, note in enumerate(notes) if note.description]
    ranks = [int((row > row[right]).sum()) for row, right in zip(scores, rights, strict=True)]
    return [1 / math.log2(rank + 2) if rank < CUTOFF else 0.0 for rank in ranks]


def recalls(asking: list[Note], answering: list[Note], scores: Matrix) -> list[float]:
    """Whether the note with the same permalink is among the first ten."""
    place_of = {note.permalink: place for place, note in enumerate(answering) if note.permalink}
    results = []
    for row, note in zip(scores, [note for note in asking if note.description], strict=True):
        if note.permalink in place_of:
            results.append(float((row > row[place_of[note.permalink]]).sum() < CUTOFF))
    return results


def report(words: dict[str, list[float]], columns: list[dict[str, dict[str, list[float]]]], names: list[str]) -> None:
    print("language  words  " + "  ".join(f"{name}: alone mixed from-English to-English" for name in names))
    for language, values in words.items():
        cells = [" ".join(f"{np.mean(found[kind][language]):.3f}" if language in found[kind] else "  –  " for kind in found) for found in columns]
        print(f"{language:8}  {np.mean(values):.3f}  " + "   ".join(cells))
    print(f"{'mean':8}  {np.mean([np.mean(values) for values in words.values()]):.3f}  " + "   ".join(
        " ".join(f"{np.mean([np.mean(values) for values in kind.values()]):.3f}" for kind in found.values()) for found in columns
    ))  # fmt: skip
    random = np.random.default_rng(1)
    for name, found in zip(names[1:], columns[1:], strict=True):
        for kind in found:
            differences = [np.array(found[kind][language]) - np.array(columns[0][kind][language]) for language in found[kind]]
            means = [
                np.mean([values[random.integers(0, len(values), len(values))].mean() for values in differences]) for _ in range(SAMPLES)
            ]
            low, high = np.quantile(means, [0.025, 0.975])
            print(f"{name} minus {names[0]}, {kind}: {np.mean([v.mean() for v in differences]):+.3f} [{low:+.3f}, {high:+.3f}]")


if __name__ == "__main__":
    main()
