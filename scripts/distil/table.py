"""Writes and reads the file format of the tables.

magic · uint32 length of the header · header, JSON padded with spaces to a multiple of 4 · vocabulary, one piece a line in UTF-8 ·
float32 log probability of each piece, if it has one · float32 scale of each row · rows · uint32 CRC-32 of everything before. Numbers are
little endian.

`STE1`: word pieces of BERT, rows of 8 bits. `MLT1`: pieces with log probabilities; the vocabulary is padded to a multiple of 4; rows of
4 bits, two columns a byte, the first in its low half, stored with 8 added.
"""

import json
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LARGEST = {8: 127, 4: 7}
CLIPS = {8: (1.0,), 4: (1.0, 0.85, 0.72, 0.6)}
"""Shares of a row's largest component to map to the largest integer. With few bits, clipping can lose less."""


@dataclass(frozen=True)
class Table:
    weights: NDArray[np.floating]
    vocabulary: list[str]
    about: dict[str, object]
    """Other header fields: teacher, texts and so on."""
    log_probabilities: NDArray[np.float32] | None = None
    """One per piece. If present, rows have 4 bits."""


def quantize(weights: NDArray[np.floating], bits: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Quantizes rows to integers, each with the scale that restores its values. A row of zeros has scale 1."""
    largest = LARGEST[bits]
    most = np.abs(weights).max(axis=1) / largest
    most[most == 0] = 1
    best_scales, best_whole, best_error = most, np.zeros(weights.shape, np.int8), np.full(len(weights), np.inf)
    for clip in CLIPS[bits]:
        scales = most * clip
        whole = np.clip(np.round(weights / scales[:, None]), -largest, largest)
        error = ((whole * scales[:, None] - weights) ** 2).sum(axis=1)
        better = error < best_error
        best_scales = np.where(better, scales, best_scales)
        best_whole[better] = whole[better].astype(np.int8)
        best_error = np.where(better, error, best_error)
    return best_scales.astype("<f4"), best_whole


def write_table(path: Path, table: Table) -> None:
    lines = "\n".join(table.vocabulary).encode()
    rows, columns = table.weights.shape
    header = json.dumps(table.about | {"rows": rows, "dims": columns, "vocabBytes": len(lines)}).encode()
    header += b" " * (-len(header) % 4)
    if table.log_probabilities is None:
        scales, whole = quantize(table.weights, 8)
        content = [b"STE1", struct.pack("<I", len(header)), header, lines, scales.tobytes(), whole.tobytes()]
    else:
        scales, whole = quantize(table.weights, 4)
        halves = (whole + 8).astype(np.uint8)
        packed = (halves[:, 0::2] | (halves[:, 1::2] << 4)).tobytes()
        probabilities = table.log_probabilities.astype("<f4").tobytes()
        padded = lines + b"\0" * (-len(lines) % 4)
        content = [b"MLT1", struct.pack("<I", len(header)), header, padded, probabilities, scales.tobytes(), packed]
    everything = b"".join(content)
    path.write_bytes(everything + struct.pack("<I", zlib.crc32(everything)))


def read_table(path: Path) -> Table:
    """Reads a table from its file.

    Weights are float64, where scale × integer is exact, so writing them again gives the same bytes.
    """
    data = path.read_bytes()
    if data[:4] not in (b"STE1", b"MLT1") or zlib.crc32(data[:-4]) != struct.unpack("<I", data[-4:])[0]:
        raise ValueError(f"{path} is no table, or it is damaged")
    start = 8 + struct.unpack_from("<I", data, 4)[0]
    header = json.loads(data[8:start])
    rows, columns, size = (int(header.pop(name)) for name in ("rows", "dims", "vocabBytes"))
    vocabulary = data[start : start + size].decode().split("\n")
    if data[:4] == b"STE1":
        place, probabilities = start + size, None
    else:
        place = start + size + -size % 4
        probabilities = np.frombuffer(data, "<f4", rows, place)
        place += 4 * rows
    scales = np.frombuffer(data, "<f4", rows, place).astype(np.float64)
    place += 4 * rows
    if probabilities is None:
        whole = np.frombuffer(data, np.int8, rows * columns, place).reshape(rows, columns)
    else:
        packed = np.frombuffer(data, np.uint8, rows * columns // 2, place).reshape(rows, columns // 2)
        whole = (np.stack([packed & 15, packed >> 4], axis=2).astype(np.int8) - 8).reshape(rows, columns)
    return Table(whole * scales[:, None], vocabulary, header, probabilities)
