"""The file format of the table: writing it, and reading it back.

`STE1` · uint32 (little endian) length of the header · header, JSON padded with spaces to a multiple of 4 · vocabulary, one word
piece a line in UTF-8 · a float32 scale for each row · int8 rows.
"""

import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAGIC = b"STE1"
LARGEST = 127


def quantise(weights: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Rows as whole numbers from -127 to 127, each row with the scale that gives its values back.

    A row's largest component becomes ±127. A row of zeros has the scale 1.
    """
    scales = np.abs(weights).max(axis=1) / LARGEST
    scales[scales == 0] = 1
    whole = np.clip(np.round(weights / scales[:, None]), -LARGEST, LARGEST)
    return scales.astype("<f4"), whole.astype(np.int8)


def write_table(path: Path, weights: NDArray[np.floating], vocabulary: list[str], about: dict[str, object]) -> None:
    """Writes a table of one row a word piece; `about` (teacher, lowercase, texts) goes into the header."""
    scales, whole = quantise(weights)
    lines = "\n".join(vocabulary).encode()
    sizes = {"rows": len(weights), "dims": weights.shape[1], "vocabBytes": len(lines)}
    header = json.dumps(about | sizes).encode()
    header += b" " * (-len(header) % 4)
    path.write_bytes(MAGIC + struct.pack("<I", len(header)) + header + lines + scales.tobytes() + whole.tobytes())


def read_table(path: Path) -> tuple[NDArray[np.float64], list[str], dict[str, object]]:
    """Weights, vocabulary and header of a table.

    The weights are float64, in which scale × whole number is exact: writing them again gives the same bytes.
    """
    data = path.read_bytes()
    if data[:4] != MAGIC:
        raise ValueError(f"{path} is no table")
    start = 8 + struct.unpack_from("<I", data, 4)[0]
    header = json.loads(data[8:start])
    rows, columns = header["rows"], header["dims"]
    end = start + header["vocabBytes"]
    scales = np.frombuffer(data, "<f4", rows, end).astype(np.float64)
    whole = np.frombuffer(data, np.int8, rows * columns, end + 4 * rows).reshape(rows, columns)
    return whole * scales[:, None], data[start:end].decode().split("\n"), header
