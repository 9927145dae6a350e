/** The character goes without a trace. */
const DROPPED = 1

/** Ends the word. */
const SPACE = 2

/** Ends the word and is a word by itself: punctuation, and ideographs of Chinese and Japanese. */
const ALONE = 3

/** Belongs to the word as it is. */
const PART = 4

/** Stands for other characters: see `BertCharacters.spell`. */
const SPELLED = 5

const CODE_POINTS = 0x110000

/** ASCII punctuation includes symbols, e.g. `$`, `+`, `^`, that Unicode does not call so. */
const PUNCTUATION = /^[\p{P}!-/:-@[-`{-~]$/u

const REMOVED = /^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\0\ufffd]$/u

const MARKS = /\p{Mn}/gu

const BLANK = /^\s$/u

/** First and last of each block of ideographs that BERT sets apart; kana and hangul are not among them. */
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

/** BERT's WordPiece maps longer words to unknown. */
const MAX_CHARACTERS = 100

/** UTF-8 takes at most 4 bytes a character. */
const MAX_BYTES = 4 * MAX_CHARACTERS

/** 32-bit FNV-1a: constants from http://www.isthe.com/chongo/tech/comp/fnv/. */
const FNV_BASIS = 0x811c9dc5

const FNV_PRIME = 0x01000193

const HASH_SIGN = 0x23

const NEWLINE = 0x0a

/** Every piece but a word's first is written with `##` in front. */
const CONTINUATION = hashBytes(Uint8Array.of(HASH_SIGN, HASH_SIGN), 0, 2)

/** How often each piece of the vocabulary occurs in a text. */
export interface PieceCounts {
  /** By row. Reused by the next count. */
  readonly counts: Int32Array
  /** The rows that occur, in order of first appearance; the first `distinct` items are valid. */
  readonly rows: Int32Array
  readonly distinct: number
  /** Letters and digits of the words that were dropped; of a word that is too long those that were looked at. */
  readonly unknown: number
}

const LETTERS = /[\p{L}\p{N}]/gu

/**
 * BERT's uncased tokenisation with WordPiece (greedy, longest piece first; Devlin et al. 2018), counting pieces instead of listing
 * them: so a long text costs no more vector additions than the vocabulary has rows. A word with an unknown piece is dropped whole.
 *
 * The vocabulary stays as it is in the file; an open-addressing table finds a piece by its bytes. It takes linear time: every
 * character of a word starts at most one search, of as many steps as the longest piece has bytes.
 */
export class WordPieces {
  /** Number of pieces, one a row. */
  readonly size: number
  readonly #bytes: Uint8Array
  /** The start of each piece, including its line break, and one more entry for the end of the last. */
  readonly #starts: Uint32Array
  /** Row + 1 by slot; 0 is free. */
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

  /** `vocabulary`: one piece a line, UTF-8, without a line break at the end. */
  constructor(vocabulary: Uint8Array) {
    this.#bytes = vocabulary
    this.#starts = lineStarts(vocabulary)
    this.size = this.#starts.length - 1
    // At most half full: a search that finds nothing then looks at 1.5 slots in the mean (linear probing, Knuth 6.4).
    const capacity = 2 ** Math.ceil(Math.log2(this.size * 2 + 1))
    this.#slots = new Int32Array(capacity)
    this.#hashes = new Int32Array(capacity)
    this.#counts = new Int32Array(this.size)
    this.#rows = new Int32Array(this.size)
    this.#longest = this.#index()
  }

  /** Counts the pieces of a text. The answer is valid until the next call. */
  count(text: string): PieceCounts {
    for (let i = 0; i < this.#distinct; i++) this.#counts[this.#rows[i] as number] = 0
    this.#distinct = 0
    this.#unknown = 0
    this.#read(text)
    this.#endWord()
    return { counts: this.#counts, rows: this.#rows, distinct: this.#distinct, unknown: this.#unknown }
  }

  /** The piece of a row, with `##` where it continues a word. */
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

  /** Adds a character to the word, as UTF-8. */
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

  /** Finds the pieces of the word. @returns how many, 0 when one is unknown. */
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

  /** Row of the longest piece that begins there, -1 when there is none. Pieces are whole characters, so they end between two. */
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

  /** Row of the piece of this hash and length (bytes) whose end stands in the word. */
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
    // Within a word `#` stands alone, so two of them can only be the mark of a continuation.
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

  /** Fills the table. @returns bytes of the longest piece. */
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

/** Where lines begin, and where one after the last would. */
function lineStarts(bytes: Uint8Array): Uint32Array {
  const starts = [0]
  // Not a loop over bytes, which would run once, before it is compiled.
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1)
  starts.push(bytes.length + 1)
  return Uint32Array.from(starts)
}

function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS | 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), FNV_PRIME)
  return hash
}

/** The upper half of the hash is mixed in: FNV's lower bits alone spread short words less well. */
function slotOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask
}

/**
 * BERT's uncased basic tokenisation, character by character: it drops control characters, separates ideographs and
 * punctuation, strips accents (NFD without nonspacing marks) and lowers each letter (without final sigma).
 * Decomposing single characters skips the reordering of marks, which takes quadratic time in a long run and matters
 * only to marks that are kept; no vocabulary has those. Results are cached: 1.1 MB of address space, of which a text
 * touches only the pages of its scripts.
 */
class BertCharacters {
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #spellings = new Map<number, readonly number[]>()

  /** One of the roles above. */
  role(codePoint: number): number {
    return this.#roles[codePoint] || this.#classify(codePoint)
  }

  /** The spelling of a `SPELLED` character: parts of words, and blanks that end them. */
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

/** Normalises one character before words are split; blanks surround characters that stand alone. */
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
