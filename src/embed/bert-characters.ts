/** The character goes without a trace. */
export const DROPPED = 1
/** Ends the word. */
export const SPACE = 2
/** Ends the word and is a word by itself: punctuation, and ideographs of Chinese and Japanese. */
export const ALONE = 3
/** Belongs to the word as it is. */
export const PART = 4
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

/**
 * BERT's uncased basic tokenisation, character by character: control characters go, ideographs stand alone, accents are stripped (NFD
 * without nonspacing marks), letters are lowered one by one (no final sigma), punctuation is split off.
 *
 * Decomposing each character by itself leaves out the reordering of marks, which takes quadratic time in a long run of them and matters
 * only to marks that are kept; no vocabulary has those. What was found out about a character is kept: 1.1 MB of address space, of
 * which a text touches the pages of its scripts.
 */
export class BertCharacters {
  readonly #roles = new Uint8Array(CODE_POINTS)
  readonly #spellings = new Map<number, readonly number[]>()

  /** One of the roles above. */
  role(codePoint: number): number {
    return this.#roles[codePoint] || this.#classify(codePoint)
  }

  /** What a `SPELLED` character stands for: parts of words, and blanks that end them. */
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

/** What one character becomes before words are split; blanks set apart what stands alone. */
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
