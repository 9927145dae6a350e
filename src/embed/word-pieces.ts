/** The character is removed. */
const DROPPED = 1

/** The character ends the word. */
const SPACE = 2

/** The character ends the word and is a word by itself. Used for punctuation, and Chinese and Japanese ideographs. */
const ALONE = 3

/** The character is part of the word, unchanged. */
const PART = 4

/** The character is replaced; see `BertCharacters.spell`. */
const SPELLED = 5

const CODE_POINTS = 0x110000

/** Includes ASCII symbols such as `$`, `+` and `^`, which Unicode does not classify as punctuation. */
const PUNCTUATION = /^[\p{P}!-/:-@[-`{-~]$/u

const REMOVED = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\0\ufffd]$/u

const MARKS = /\p{Mn}/gu

const BLANK = /^\s$/u

/** First and last code point of each block of ideographs that BERT separates. Kana and hangul are not included. */
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

/** BERT's WordPiece treats longer words as unknown. */
const MAX_CHARACTERS = 100

/** UTF-8 takes at most 4 bytes per character. */
const MAX_BYTES = 4 * MAX_CHARACTERS

/** 32-bit FNV-1a: constants from http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_BASIS = 0x811c9dc5

const FNV_PRIME = 0x01000193

const HASH_SIGN = 0x23

const NEWLINE = 0x0a

/** All pieces except a word's first are prefixed with `##`. */
const CONTINUATION = hashBytes(Uint8Array.of(HASH_SIGN, HASH_SIGN), 0, 2)

/** Number of occurrences of each vocabulary piece in the text. */
export interface PieceCounts {
  /** Indexed by row. The next count reuses the array. */
  readonly counts: Int32Array
  /** The rows that occur, in order of first appearance. The first `distinct` items are valid. */
  readonly rows: Int32Array
  readonly distinct: number
  /** Number of letters and digits in dropped words. For words that are too long, only the examined part is counted. */
  readonly unknown: number
}

const LETTERS = /[\p{L}\p{N}]/gu

/**
 * BERT's uncased tokenization with WordPiece (greedy, longest piece first; Devlin et al. 2018). Counts pieces instead of listing
 * them, so a long text needs no more vector additions than the vocabulary has rows. A word with an unknown piece is dropped. The
 * vocabulary is kept in its file format, and an open-addressing table finds pieces by their bytes. Takes linear time: every character
 * of a word starts at most one search, with as many steps as the longest piece has bytes.
 */
export class WordPieces {
  /** Number of pieces, one per row. */
  readonly size: number
  readonly #bytes: Uint8Array
  /** Start of each piece, including its line break, plus the end of the last one. */
  readonly #starts: Uint32Array
  /** Row + 1 for each slot. 0 means the slot is free. */
  readonly #slots: Int32Array
  readonly #hashes: Int32Array
  readonly #longest: number
  readonly #characters = new BertCharacters()

  readonly #word = new Uint8Array(MAX_BYTES)
  #wordBytes = 0
  #wordCharacters = 0
  readonly #prefixes = new Int32Array(MAX_BYTES)
  readonly #found = new Int32Array(MAX_CHARACTERS)

  readonly #counts: Int32Array
  readonly #rows: Int32Array
  #distinct = 0
  #unknown = 0
  readonly #decoder = new TextDecoder()

  /** `vocabulary`: UTF-8, one piece per line, without a trailing line break. */
  constructor(vocabulary: Uint8Array) {
    this.#bytes = vocabulary
    this.#starts = lineStarts(vocabulary)
    this.size = this.#starts.length - 1
    // At most half full, so an unsuccessful search examines 1.5 slots on average (linear probing, Knuth 6.4).
    const capacity = 2 ** Math.ceil(Math.log2(this.size * 2 + 1))
    this.#slots = new Int32Array(capacity)
    this.#hashes = new Int32Array(capacity)
    this.#counts = new Int32Array(this.size)
    this.#rows = new Int32Array(this.size)
    this.#longest = this.#index()
  }

  /** Counts the pieces of the text. The result is valid until the next call. */
  count(text: string): PieceCounts {
    for (let i = 0; i < this.#distinct; i++) this.#counts[this.#rows[i] as number] = 0
    this.#distinct = 0
    this.#unknown = 0
    this.#read(text)
    this.#endWord()
    return { counts: this.#counts, rows: this.#rows, distinct: this.#distinct, unknown: this.#unknown }
  }

  /** Returns the piece of a row, with `##` if it continues a word. */
  piece(row: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[row], (this.#starts[row + 1] as number) - 1))
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

  /** Appends a character to the word as UTF-8. */
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
    if (pieces > 0) this.#countWord(pieces)
    else this.#unknown += this.#lettersOfWord()
    this.#wordCharacters = 0
    this.#wordBytes = 0
  }

  #lettersOfWord(): number {
    return this.#decoder.decode(this.#word.subarray(0, this.#wordBytes)).match(LETTERS)?.length ?? 0
  }

  #countWord(pieces: number): void {
    for (let i = 0; i < pieces; i++) {
      const row = this.#found[i] as number
      const before = this.#counts[row] as number
      if (before === 0) this.#rows[this.#distinct++] = row
      this.#counts[row] = before + 1
    }
  }

  /** Splits the word into pieces. @returns the number of pieces, or 0 if any piece is unknown */
  #split(): number {
    const end = this.#wordBytes
    let pieces = 0
    for (let start = 0; start < end; ) {
      const continues = start > 0
      const row = this.#longestPiece(start, continues)
      if (row < 0) return 0
      this.#found[pieces++] = row
      start += this.#lengthOf(row) - (continues ? 2 : 0)
    }
    return pieces
  }

  /** Returns the row of the longest piece that starts at `start`, or -1. Pieces consist of whole characters. */
  #longestPiece(start: number, continues: boolean): number {
    const most = Math.min(this.#wordBytes - start, this.#longest)
    let hash = continues ? CONTINUATION : FNV_BASIS
    for (let i = 0; i < most; i++) {
      hash = Math.imul(hash ^ (this.#word[start + i] as number), FNV_PRIME)
      this.#prefixes[i] = hash
    }
    for (let length = most; length > 0; length--) {
      const row = this.#find(this.#prefixes[length - 1] as number, start, continues ? length + 2 : length)
      if (row >= 0) return row
    }
    return -1
  }

  /** Returns the row of the piece with this hash and length (in bytes) that matches the word. */
  #find(hash: number, start: number, length: number): number {
    const mask = this.#slots.length - 1
    for (let slot = slotOf(hash, mask); this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] as number) - 1
      if (this.#hashes[slot] === hash && this.#lengthOf(row) === length && this.#isAt(row, start, length)) return row
    }
    return -1
  }

  #isAt(row: number, start: number, length: number): boolean {
    const first = this.#starts[row] as number
    // Within a word, `#` is always separated, so two in a row can only be a continuation prefix.
    const skipped = length > 2 && this.#bytes[first] === HASH_SIGN && this.#bytes[first + 1] === HASH_SIGN ? 2 : 0
    if ((skipped === 2) !== start > 0) return false
    for (let i = skipped; i < length; i++) {
      if (this.#bytes[first + i] !== this.#word[start + i - skipped]) return false
    }
    return true
  }

  #lengthOf(row: number): number {
    return (this.#starts[row + 1] as number) - (this.#starts[row] as number) - 1
  }

  /** Fills the table. @returns the length of the longest piece in bytes */
  #index(): number {
    const mask = this.#slots.length - 1
    let longest = 0
    for (let row = 0; row < this.size; row++) {
      const start = this.#starts[row] as number
      const length = this.#lengthOf(row)
      const hash = hashBytes(this.#bytes, start, start + length)
      let slot = slotOf(hash, mask)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = row + 1
      this.#hashes[slot] = hash
      if (length > longest) longest = length
    }
    return longest
  }
}

/** Returns the offsets at which lines start, plus the offset at which another line would start. */
function lineStarts(bytes: Uint8Array): Uint32Array {
  const starts = [0]
  // A loop over the bytes would run only once, so it would not be compiled in time.
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1)
  starts.push(bytes.length + 1)
  return Uint32Array.from(starts)
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS | 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME)
  return hash
}

/** Mixes in the upper half of the hash, because FNV's lower bits alone are less evenly distributed for short words. */
function slotOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask
}

/**
 * BERT's uncased basic tokenization, character by character: drops control characters, separates ideographs and punctuation, strips
 * accents (NFD without nonspacing marks) and lowercases each letter (without final sigma). Decomposing single characters avoids
 * reordering marks, which takes quadratic time in a long run. The order only matters for marks that are kept, and no vocabulary
 * contains any. Results are cached in 1.1 MB of address space, of which text only touches the pages of its scripts.
 */
class BertCharacters {
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #spellings = new Map<number, readonly number[]>()

  /** Returns one of the roles above. */
  role(codePoint: number): number {
    return this.#roles[codePoint] || this.#classify(codePoint)
  }

  /** Returns the replacement of a `SPELLED` character, which consists of parts of words and of spaces that end them. */
  spell(codePoint: number): readonly number[] {
    return this.#spellings.get(codePoint) ?? []
  }

  #classify(codePoint: number): number {
    const spelling = normalise(codePoint)
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

/** Normalizes one character before words are split. Characters that stand alone are surrounded by spaces. */
function normalise(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  if (character === '\t' || character === '\n' || character === '\r') return ' '
  if (REMOVED.test(character)) return ''
  if (BLANK.test(character)) return ' '
  const stripped = character.normalize('NFD').replace(MARKS, '')
  const lowered = Array.from(stripped, (part) => setApart(part.toLowerCase())).join('')
  return isIdeograph(codePoint) ? ` ${lowered} ` : lowered
}

function setApart(part: string): string {
  return PUNCTUATION.test(part) ? ` ${part} ` : part
}

function isIdeograph(codePoint: number): boolean {
  return codePoint >= 0x3400 && IDEOGRAPHS.some(([first, last]) => codePoint >= first && codePoint <= last)
}
