"""Word pieces: splitting texts, and choosing which of the teacher's pieces the multilingual table has.

The product splits texts in the same way (src/embed/sentence-pieces.ts).
"""

import math
import sys
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, models

WORD_START = "▁"
BATCH = 50_000
LOG_PROBABILITY_OF_START = -4.0
"""A word may begin with a piece that the teacher only uses inside words."""
WEIGHT_OF_PROBABILITY = 0.35
MAX_DIGITS = 4

# Everything but letters, digits, marks and the two joiners separates words.
_SEPARATORS = {
    code: " "
    for code in range(sys.maxunicode + 1)
    if unicodedata.category(chr(code))[0] not in "LNM" and code not in (0x200C, 0x200D)
}


@dataclass(frozen=True)
class Piece:
    text: str
    log_probability: float


def normalized(text: str) -> str:
    """Words in lower case with single spaces between them."""
    # Turkish İ becomes i with a dot above in lower case.
    lower = unicodedata.normalize("NFKC", text).lower().replace("i\u0307", "i")
    return " ".join(lower.translate(_SEPARATORS).split())


class Cutter:
    """Splits words into the pieces with the highest sum of log probabilities (unigram model; Kudo 2018)."""

    def __init__(self, pieces: list[Piece]) -> None:
        listed = [("<unk>", 0.0), *((piece.text, piece.log_probability) for piece in pieces)]
        self._tokenizer = Tokenizer(models.Unigram(listed, unk_id=0, byte_fallback=False))
        self._known: dict[str, NDArray[np.int64]] = {}

    def rows_of(self, texts: Iterable[str]) -> list[NDArray[np.int64]]:
        """Indexes of each text's pieces; unknown characters are skipped."""
        words = [[WORD_START + word for word in normalized(text).split()] for text in texts]
        new = sorted({word for text in words for word in text if word not in self._known})
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            for word, encoding in zip(batch, self._tokenizer.encode_batch(batch, add_special_tokens=False), strict=True):
                self._known[word] = np.array([number - 1 for number in encoding.ids if number > 0], np.int64)
        empty = np.zeros(0, np.int64)
        return [np.concatenate([self._known[word] for word in text]) if text else empty for text in words]


def candidates(texts: Iterable[str], log_probabilities: Iterable[float]) -> list[Piece]:
    """The teacher's pieces in lower case, most probable first. Pieces that become equal add their probabilities."""
    merged: dict[str, list[float]] = {WORD_START: [LOG_PROBABILITY_OF_START]}
    for text, log_probability in zip(texts, log_probabilities, strict=True):
        inner = normalized(text.replace(WORD_START, " "))
        if inner and " " not in inner and not (inner.isdigit() and len(inner) > MAX_DIGITS):
            start = WORD_START if text.startswith(WORD_START) else ""
            merged.setdefault(start + inner, []).append(float(log_probability))
    pieces = [Piece(text, _log_sum(found)) for text, found in merged.items()]
    return sorted(pieces, key=lambda piece: (-piece.log_probability, piece.text))


def choose_pieces(pieces: list[Piece], counts: NDArray[np.int64], size: int) -> list[Piece]:
    """The most useful pieces: every character in the texts, then pieces by count and probability."""
    scores = [
        math.log(count + 0.3) + WEIGHT_OF_PROBABILITY * piece.log_probability + (1000 if count > 0 and is_single(piece) else 0)
        for piece, count in zip(pieces, counts.tolist(), strict=True)
    ]
    order = sorted(range(len(pieces)), key=lambda place: (-scores[place], pieces[place].text))
    return [pieces[place] for place in order[:size]]


def is_single(piece: Piece) -> bool:
    return len(piece.text.strip(WORD_START)) <= 1


def _log_sum(logarithms: list[float]) -> float:
    most = max(logarithms)
    return most + math.log(sum(math.exp(value - most) for value in logarithms))
