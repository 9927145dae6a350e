"""The teacher: a sentence-transformers model of the BERT family as ONNX, and its tokenizer."""

import json
import re
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

# Longer inputs take more time and hardly change the result.
MAX_TOKENS = 96
# Tokens of a text that the teacher reads, without [CLS] and [SEP].
MAX_PIECES = MAX_TOKENS - 2
BATCH = 32
PIECE_BATCH = 256


class Vocabulary:
    """The word pieces that get a row: all except `[unused…]` and the special ones."""

    def __init__(self, tokenizer_json: Path) -> None:
        ids = json.loads(tokenizer_json.read_text())["model"]["vocab"]
        every = sorted(ids, key=ids.__getitem__)
        kept = [number for number, piece in enumerate(every) if not is_special(piece)]
        self.ids: NDArray[np.int64] = np.array(kept)
        """The teacher's token id of each row."""
        self.pieces: list[str] = [every[number] for number in kept]
        self.row_of: NDArray[np.int64] = np.full(len(every), -1)
        """The row of each of the teacher's token ids, or -1."""
        self.row_of[self.ids] = np.arange(len(kept))


def is_special(piece: str) -> bool:
    """Whether a piece is a special token such as `[CLS]` (a lone `[` is an ordinary character)."""
    return len(piece) > 2 and re.fullmatch(r"\[.*\]", piece) is not None


class Teacher:
    """Vectors of single word pieces and of whole texts."""

    def __init__(self, folder: Path, threads: int = 2) -> None:
        self._folder = folder
        self._options = ort.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.log_severity_level = 3
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.vocabulary = Vocabulary(folder / "tokenizer.json")

    def embed_pieces(self) -> NDArray[np.float32]:
        """Embeds every piece alone, as the mean of `[CLS] piece [SEP]`. The table starts from these vectors."""
        session = self._session("model.onnx")
        first, last = (self.tokenizer.token_to_id(mark) for mark in ("[CLS]", "[SEP]"))
        vectors = []
        for start in range(0, len(self.vocabulary.ids), PIECE_BATCH):
            pieces = self.vocabulary.ids[start : start + PIECE_BATCH]
            ids = np.stack([np.full(len(pieces), first), pieces, np.full(len(pieces), last)], axis=1)
            vectors.append(_run(session, ids, np.ones_like(ids)).mean(axis=1))
        return np.concatenate(vectors)

    def embed_texts(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, computed with the 8-bit weights: the targets of the fit."""
        session = self._session("model_quantized.onnx")
        self.tokenizer.enable_truncation(MAX_TOKENS)
        encodings = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        self.tokenizer.no_truncation()
        # Batches of texts of similar length need little padding.
        order = sorted(range(len(texts)), key=lambda text: len(encodings[text]))
        vectors: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for text, vector in zip(batch, _mean_pooled(session, [encodings[text] for text in batch]), strict=True):
                vectors[text] = vector
        return np.stack(vectors)

    def rows_of(self, texts: list[str]) -> list[NDArray[np.int64]]:
        """The table rows of each text's pieces, in order, up to the part the teacher reads."""
        encodings = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        rows = (self.vocabulary.row_of[encoding.ids] for encoding in encodings)
        return [found[found >= 0][:MAX_PIECES] for found in rows]

    def _session(self, weights: str) -> ort.InferenceSession:
        return ort.InferenceSession(str(self._folder / "onnx" / weights), self._options)


def _mean_pooled(session: ort.InferenceSession, encodings: list[list[int]]) -> NDArray[np.float32]:
    """Normalized mean over the tokens that are not padding."""
    longest = max(map(len, encodings))
    ids = np.zeros((len(encodings), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding)] = encoding
        mask[row, : len(encoding)] = 1
    hidden = _run(session, ids, mask)
    mean = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def _run(session: ort.InferenceSession, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    return session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
