"""Teacher vectors of texts, kept in a folder. A run continues where the last one stopped."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
CHUNK = 2000
"""Number of texts to embed between two saves."""


class Store:
    """Half-precision vectors in files of at most `CHUNK` texts, in order of arrival."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def complete(self, texts: list[str], embed: Callable[[list[str]], Matrix]) -> None:
        """Embeds the texts that earlier runs did not."""
        known = self._known()
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        for start in range(0, len(missing), CHUNK):
            chunk = missing[start : start + CHUNK]
            self._save(chunk, embed(chunk))
            print(f"embedded {start + len(chunk)} of {len(missing)}", flush=True)

    def read(self, texts: list[str]) -> tuple[NDArray[np.int64], Matrix]:
        """Indexes of the texts that have a vector, and the vectors."""
        known = self._known()
        places = np.array([place for place, text in enumerate(texts) if text in known], np.int64)
        every = np.concatenate([np.load(path) for path in self._files()])
        return places, every[[known[texts[place]] for place in places]].astype(np.float32)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.npy"))

    def _known(self) -> dict[str, int]:
        """The row of each text across all files."""
        texts = (text for path in self._files() for text in path.with_suffix(".txt").read_text().split("\n"))
        return {text: row for row, text in enumerate(texts)}

    def _save(self, texts: list[str], vectors: Matrix) -> None:
        path = self._folder / f"{len(self._files()):04}"
        path.with_suffix(".txt").write_text("\n".join(texts))
        np.save(path.with_suffix(".npy"), vectors.astype(np.float16))
