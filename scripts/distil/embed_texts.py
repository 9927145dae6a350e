#!/usr/bin/env python3
"""Embeds the texts with the teacher. A run continues where the last one stopped."""

import argparse
import json
from pathlib import Path

from e5 import Teacher
from vectors import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="the texts that texts.py wrote")
    parser.add_argument("cache", type=Path, help="folder for the vectors")
    parser.add_argument("--first", type=int, default=None, help="only so many texts, from the start")
    args = parser.parse_args()
    texts = [json.loads(line)["text"] for line in args.texts.open()][: args.first]
    Store(args.cache / "texts").complete(texts, Teacher().embed)


if __name__ == "__main__":
    main()
