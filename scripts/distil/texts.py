#!/usr/bin/env python3
"""Collects the texts for fitting the multilingual table from clones of the repositories in sources.py."""

import argparse
import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from sources import LANGUAGES, SOURCES, Repository, Source, Text

SEED = "7"
PER_LANGUAGE = 3200
"""Maximum number of texts per language."""
ENGLISH = 14_000
LONGEST = 240
"""Maximum characters per text; longer paragraphs are cut after a sentence."""
LONGEST_UNSPACED = 110
"""The same for scripts without spaces, where a character carries more meaning."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")
PARTS = 2
"""Maximum number of texts per paragraph."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, help="folder with a clone of each repository, called OWNER+NAME (or OWNER+NAME/repo)")
    parser.add_argument("out", type=Path, help="the texts to write: JSON lines of source, language, key and text")
    args = parser.parse_args()
    found = [text for source in SOURCES for text in texts_of(args.repositories, source)]
    chosen = choose(found)
    args.out.write_text("".join(json.dumps(asdict(text), ensure_ascii=False) + "\n" for text in chosen))
    for name, of in (("sources", lambda text: text.source), ("languages", lambda text: text.language)):
        print(f"{name}:", ", ".join(f"{key} {count}" for key, count in Counter(map(of, chosen)).most_common()))
    print(f"{args.out}: {len(chosen)} texts, {sum(len(text.text) for text in chosen)} characters, sha256 {sha256(args.out)}")


def texts_of(folder: Path, source: Source) -> Iterator[Text]:
    """Cuts and filters the texts of one source."""
    clone = folder / source.repository.replace("/", "+")
    repository = Repository(clone / "repo" if (clone / "repo").is_dir() else clone, source.commit)
    for language, key, paragraph in source.read(repository):
        parts = [part for part in cut(paragraph) if is_prose(part)]
        whole = len(parts) == 1
        for part in parts[:PARTS]:
            yield Text(source.name, language, f"{source.name} {key}" if key and whole else None, part)
    repository.close()


def cut(paragraph: str) -> list[str]:
    """Splits a paragraph into parts of whole sentences."""
    longest = LONGEST_UNSPACED if len(UNSPACED.findall(paragraph)) > 0.3 * len(paragraph) else LONGEST
    if len(paragraph) <= longest:
        return [paragraph]
    parts = [""]
    for sentence in re.split(r"(?<=[.!?。！？؟।។။])\s*(?=\S)", paragraph):
        if parts[-1] and len(parts[-1]) + len(sentence) > 0.8 * longest:
            parts.append("")
        parts[-1] += sentence if UNSPACED.search(sentence) else f" {sentence}" if parts[-1] else sentence
    return [part[: longest + 60] for part in parts]


def is_prose(text: str) -> bool:
    """Whether a text consists mostly of letters and is long enough."""
    letters = sum(unicodedata.category(character)[0] in "LM" for character in text)
    return letters >= 0.6 * len(text.replace(" ", "")) and letters >= (8 if UNSPACED.search(text) else 20)


def choose(texts: Iterable[Text]) -> list[Text]:
    """Chooses texts of each language in a seeded order; sources take turns.

    Texts with the same key have the same place in their source's order, so languages get the same paragraphs. The first n texts have
    equal shares of every language, as far as there are texts.
    """
    by_language: dict[str, dict[str, list[Text]]] = {language: {} for language in LANGUAGES}
    seen: set[str] = set()
    for text in sorted(texts, key=lambda text: (rank(text.key or text.text), text.language, text.text)):
        if text.text not in seen:
            seen.add(text.text)
            by_language[text.language].setdefault(text.source, []).append(text)
    placed: list[tuple[float, bytes, Text]] = []
    for language, sources in by_language.items():
        wanted = ENGLISH if language == "en" else PER_LANGUAGE
        ranked = sorted(((rank(f"{language} {text.text}"), text) for text in take_turns(list(sources.values()), wanted)), key=lambda entry: entry[0])
        placed += [(place / wanted, key, text) for place, (key, text) in enumerate(ranked)]
    return [text for _, _, text in sorted(placed, key=lambda entry: entry[:2])]


def take_turns(sources: list[list[Text]], wanted: int) -> Iterator[Text]:
    """Interleaves sources: the first of each, the second of each, and so on."""
    for turn in range(max(map(len, sources), default=0)):
        for source in sources:
            if turn < len(source) and wanted > 0:
                wanted -= 1
                yield source[turn]


def rank(text: str) -> bytes:
    """A sort key that is arbitrary but the same in every run."""
    return hashlib.sha256(f"{SEED} {text}".encode()).digest()


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
