import { CONTINUATION, FNV_BASIS, hashByte, type PieceCounts, PieceIndex, RowCounts } from './piece-index.ts'

const DROPPED = 1
const SPACE = 2
const ALONE = 3
const PART = 4
/** Marks a code point that `spell` must spell out; see `BertCharacters.spell`. */
const SPELLED = 5

const CODE_POINTS = 0x110000

/** Matches punctuation as BERT defines it. Unlike in Unicode, it includes `$`, `+` and `^`. */
const PUNCTUATION = /^[\p{P}!-/:-@[-`{-~]$/u

const REMOVED = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\0\ufffd]$/u

const MARKS = /\p{Mn}/gu

const BLANK = /^\s$/u

/** The blocks of ideographs that BERT splits into single characters. Kana and hangul are not among them. */
const IDEOGRAPHS: readonly (readonly [number, number])[] = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b920, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
]

/** Longer words are unknown to BERT's WordPiece. */
const MAX_CHARACTERS = 100

const MAX_BYTES = 4 * MAX_CHARACTERS

export interface WordPieceCounts extends PieceCounts {
  /** The number of letters and digits in dropped words. In a word that is too long, only the examined part counts. */
  readonly unknown: number
}

const LETTERS = /[\p{L}\p{N}]/gu

/**
 * BERT's uncased WordPiece (greedy, longest piece first; Devlin et al. 2018), in linear time. A word with an unknown piece is
 * dropped.
 */
export class WordPieces {
  readonly #index: PieceIndex
  readonly #characters = new BertCharacters()

  readonly #word = new Uint8Array(MAX_BYTES)
  #wordBytes = 0
  #wordCharacters = 0
  readonly #prefixes = new Int32Array(MAX_BYTES)
  readonly #foundPieces = new Int32Array(MAX_CHARACTERS)

  readonly #counts: RowCounts
  #unknown = 0
  readonly #decoder = new TextDecoder()

  /** @param vocabulary UTF-8, one piece per line, without a trailing line break */
  constructor(vocabulary: Uint8Array) {
    this.#index = new PieceIndex(vocabulary, this.#word)
    this.#counts = new RowCounts(this.#index.size)
  }

  get size(): number {
    return this.#index.size
  }

  /** Counts the pieces of a text. The result is valid until the next call. */
  count(text: string): WordPieceCounts {
    this.#counts.clear()
    this.#unknown = 0
    this.#read(text)
    this.#endWord()
    const { counts, rows, distinct } = this.#counts
    return { counts, rows, distinct, unknown: this.#unknown }
  }

  piece(row: number): string {
    return this.#index.piece(row)
  }

  #read(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit >= 0x61 && unit <= 0x7a) {
        this.#append(unit)
        continue
      }
      const codePoint = unit < 0xd800 ? unit : (text.codePointAt(at) ?? unit)
      if (codePoint > 0xffff) at++
      this.#take(codePoint)
    }
  }

  #take(codePoint: number): void {
    const role = this.#characters.role(codePoint)
    if (role === PART) this.#append(codePoint)
    else if (role === SPACE) this.#endWord()
    else if (role === ALONE) {
      this.#endWord()
      this.#append(codePoint)
      this.#endWord()
    } else if (role !== DROPPED) this.#appendSpelling(codePoint)
  }

  #appendSpelling(codePoint: number): void {
    for (const part of this.#characters.spell(codePoint)) {
      if (part === 0x20) this.#endWord()
      else this.#append(part)
    }
  }

  #append(codePoint: number): void {
    if (++this.#wordCharacters > MAX_CHARACTERS) return
    const word = this.#word
    if (codePoint < 0x80) {
      word[this.#wordBytes++] = codePoint
      return
    }
    if (codePoint < 0x800) word[this.#wordBytes++] = 0xc0 | (codePoint >> 6)
    else {
      if (codePoint < 0x10000) word[this.#wordBytes++] = 0xe0 | (codePoint >> 12)
      else {
        word[this.#wordBytes++] = 0xf0 | (codePoint >> 18)
        word[this.#wordBytes++] = 0x80 | ((codePoint >> 12) & 0x3f)
      }
      word[this.#wordBytes++] = 0x80 | ((codePoint >> 6) & 0x3f)
    }
    word[this.#wordBytes++] = 0x80 | (codePoint & 0x3f)
  }

  #endWord(): void {
    const characters = this.#wordCharacters
    if (characters === 0) return
    const pieces = characters <= MAX_CHARACTERS ? this.#split() : 0
    if (pieces > 0) for (let i = 0; i < pieces; i++) this.#counts.add(this.#foundPieces[i] as number)
    else this.#unknown += this.#lettersOfWord()
    this.#wordCharacters = 0
    this.#wordBytes = 0
  }

  #lettersOfWord(): number {
    return this.#decoder.decode(this.#word.subarray(0, this.#wordBytes)).match(LETTERS)?.length ?? 0
  }

  #split(): number {
    const end = this.#wordBytes
    let pieces = 0
    for (let start = 0; start < end; ) {
      const continues = start > 0
      const row = this.#longestPiece(start, continues)
      if (row < 0) return 0
      this.#foundPieces[pieces++] = row
      start += this.#index.lengthOf(row) - (continues ? 2 : 0)
    }
    return pieces
  }

  #longestPiece(start: number, continues: boolean): number {
    const maxLength = Math.min(this.#wordBytes - start, this.#index.longest)
    let hash = continues ? CONTINUATION : FNV_BASIS
    let length = 0
    while (length < maxLength) {
      hash = hashByte(hash, this.#word[start + length] as number)
      if (!this.#index.isPrefix(hash)) break
      this.#prefixes[length++] = hash
    }
    for (; length > 0; length--) {
      const prefixHash = this.#prefixes[length - 1] as number
      const end = start + length
      const row = continues ? this.#index.findContinuation(prefixHash, start, end) : this.#index.find(prefixHash, start, end)
      if (row >= 0) return row
    }
    return -1
  }
}

/**
 * BERT's uncased basic tokenization, per character: accents are stripped by NFD, and final sigma is ignored. Normalizing whole
 * words would take quadratic time for long runs of marks. The cache takes 1.1 MB of address space.
 */
class BertCharacters {
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #spellings = new Map<number, readonly number[]>()

  role(codePoint: number): number {
    return this.#roles[codePoint] || this.#classify(codePoint)
  }

  /** Returns the replacement of a code point. It may contain spaces, which end words. */
  spell(codePoint: number): readonly number[] {
    return this.#spellings.get(codePoint) ?? []
  }

  #classify(codePoint: number): number {
    const spelling = normalize(codePoint)
    const role = roleOf(String.fromCodePoint(codePoint), spelling)
    this.#roles[codePoint] = role
    if (role === SPELLED) {
      this.#spellings.set(
        codePoint,
        Array.from(spelling, (part) => part.codePointAt(0) ?? 0),
      )
    }
    return role
  }
}

function roleOf(character: string, spelling: string): number {
  if (spelling === '') return DROPPED
  if (spelling === ' ') return SPACE
  if (spelling === character) return PART
  return spelling === ` ${character} ` ? ALONE : SPELLED
}

/** Normalizes a code point. A character that is a word of its own is surrounded by spaces. */
function normalize(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  if (character === '\t' || character === '\n' || character === '\r') return ' '
  if (REMOVED.test(character)) return ''
  if (BLANK.test(character)) return ' '
  const stripped = character.normalize('NFD').replace(MARKS, '')
  const lowered = Array.from(stripped, (part) => separated(part.toLowerCase())).join('')
  return isIdeograph(codePoint) ? ` ${lowered} ` : lowered
}

function separated(part: string): string {
  return PUNCTUATION.test(part) ? ` ${part} ` : part
}

function isIdeograph(codePoint: number): boolean {
  return codePoint >= 0x3400 && IDEOGRAPHS.some(([first, last]) => codePoint >= first && codePoint <= last)
}
