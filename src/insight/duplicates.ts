import type { DuplicatePair } from '../core/link-suggestions.ts'
import { type Corpus, MOST_COPIES } from './corpus.ts'
import { FLAG_BITS } from './note-record.ts'
import { spreadBits } from './spread-bits.ts'

/** Words of a shingle: sequences of so many words are compared. */
const SHINGLE = 4
/** A note of fewer shingles says too little to be a copy. */
const LEAST_SHINGLES = 12
/** Values of a note's signature, in bands: two notes are compared when they agree in one band. Pairs that are half alike are with a chance of .99. */
const BANDS = 64
const ROWS = 3
/** Less alike are neighbours. */
const LEAST_ALIKE = 0.5
/** Of so many notes in one band, each is compared with the next few only. */
const MOST_COMPARED = 20
/** Shorter lines are equal by chance. */
const LEAST_LINE = 3
const MOST_PAIRS = 1_000
const SHOWN_LINES = 3

/**
 * Pairs of notes that say much the same, the most alike first. Of notes that are equal, the first with each of the others; what is alike in their own
 * words by MinHash (A. Broder, 1997), then exactly.
 */
export function findDuplicates(corpus: Texts): readonly DuplicatePair[] {
  const pairs = [...equalPairs(corpus), ...alikePairs(corpus)]
  return pairs.sort((a, b) => b.alike - a.alike || a.notes[0] - b.notes[0] || a.notes[1] - b.notes[1]).slice(0, MOST_PAIRS)
}

/** Notes of one text. */
function equalPairs(source: Texts): readonly DuplicatePair[] {
  const { texts } = source
  const groups = new Map<number, number[]>()
  for (const [note, text] of texts.numbers.entries()) {
    if ((texts.words[note] as number) < LEAST_SHINGLES + SHINGLE - 1) continue
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [note])
    else group.push(note)
  }
  return [...groups.values()]
    .filter(({ length }) => length > 1 && length <= MOST_COPIES)
    .flatMap(([first = 0, ...others]) =>
      others.map((other): DuplicatePair => {
        const { lines: shown } = equalLines(first, other, source)
        return { notes: [first, other], alike: 1, equalLines: texts.lines[first] as number, lines: shown }
      }),
    )
}

function alikePairs(source: Texts): readonly DuplicatePair[] {
  const { lines, texts } = source
  const notes = lines.offsets.length - 1
  const buckets = new Map<number, number[]>()
  for (let note = 0; note < notes; note++) {
    const shingles = shinglesOf(note, source)
    if (shingles.size < LEAST_SHINGLES) continue
    for (const key of bandsOf(shingles)) {
      const bucket = buckets.get(key)
      if (bucket === undefined) buckets.set(key, [note])
      else bucket.push(note)
    }
  }
  const compared = new Set<number>()
  for (const bucket of buckets.values()) {
    for (const [at, note] of bucket.entries()) {
      for (const other of bucket.slice(at + 1, at + 1 + MOST_COMPARED)) compared.add(note * notes + other)
    }
  }
  const pairs: DuplicatePair[] = []
  let kept: { readonly note: number; readonly shingles: ReadonlySet<number> } | undefined
  for (const pair of Float64Array.from(compared).sort()) {
    const note = Math.floor(pair / notes)
    const other = pair % notes
    if (texts.numbers[note] === texts.numbers[other]) continue
    if (kept?.note !== note) kept = { note, shingles: shinglesOf(note, source) }
    const alike = jaccard(kept.shingles, shinglesOf(other, source))
    if (alike < LEAST_ALIKE) continue
    pairs.push({ notes: [note, other], alike, ...equalLines(note, other, source) })
  }
  return pairs
}

type Texts = Pick<Corpus, 'lines' | 'termOf' | 'texts'>

/**
 * The distinct sequences of words of a note's own lines, as hashes. A line that is shared counts as many as it would have by itself: copies share most of
 * their lines, and in a small vault what three notes share is boilerplate.
 */
function shinglesOf(note: number, { lines, termOf, texts: { sharedLines: shared } }: Texts): ReadonlySet<number> {
  const from = lines.offsets[note] as number
  const to = lines.offsets[note + 1] as number
  const shingles = new Set<number>()
  for (let at = shared.offsets[note] as number; at < (shared.offsets[note + 1] as number); at++) {
    const count = (shared.words[at] as number) - SHINGLE + 1
    for (let part = 0; part < count; part++) shingles.add(spreadBits((shared.hashes[at] as number) + part))
  }
  if (from === to) return shingles
  const start = from === 0 ? 0 : (lines.ends[from - 1] as number)
  const end = lines.ends[to - 1] as number
  for (let at = start; at + SHINGLE <= end; at++) {
    let hash = 0x811c9dc5
    for (let next = at; next < at + SHINGLE; next++) hash = Math.imul(hash ^ termAt(next, lines, termOf), 0x01000193)
    shingles.add(spreadBits(hash))
  }
  return shingles
}

function termAt(word: number, lines: Texts['lines'], termOf: Uint32Array): number {
  return spreadBits(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
}

/** One number for each band of a signature. */
function bandsOf(shingles: ReadonlySet<number>): readonly number[] {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffff_ffff)
  for (const shingle of shingles) {
    for (let row = 0; row < least.length; row++) {
      const value = spreadBits(shingle ^ Math.imul(row + 1, 0x9e3779b1))
      if (value < (least[row] as number)) least[row] = value
    }
  }
  return Array.from({ length: BANDS }, (_, band) => {
    let hash = band
    for (let row = 0; row < ROWS; row++) hash = Math.imul(hash ^ (least[band * ROWS + row] as number), 0x01000193)
    return spreadBits(hash) * BANDS + band
  })
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let both = 0
  for (const shingle of a) if (b.has(shingle)) both++
  return both / Math.max(1, a.size + b.size - both)
}

function equalLines(note: number, other: number, texts: Texts): Pick<DuplicatePair, 'equalLines' | 'lines'> {
  const known = new Map(linesOf(other, texts).toReversed())
  const found: (readonly [number, number])[] = []
  const met = new Set<string>()
  for (const [key, line] of linesOf(note, texts)) {
    const its = known.get(key)
    if (its === undefined || met.has(key)) continue
    met.add(key)
    found.push([line, its])
  }
  return { equalLines: found.length, lines: found.slice(0, SHOWN_LINES) }
}

/** What each line with words says, and its number in the file, ascending. */
function linesOf(note: number, { lines, termOf, texts: { sharedLines: shared } }: Texts): readonly (readonly [string, number])[] {
  const from = lines.offsets[note] as number
  const found: (readonly [string, number])[] = []
  let word = from === 0 ? 0 : (lines.ends[from - 1] as number)
  for (let at = from; at < (lines.offsets[note + 1] as number); at++) {
    const terms: number[] = []
    for (; word < (lines.ends[at] as number); word++) terms.push(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
    if (terms.length >= LEAST_LINE) found.push([terms.join(), lines.numbers[at] as number])
  }
  for (let at = shared.offsets[note] as number; at < (shared.offsets[note + 1] as number); at++) {
    if ((shared.words[at] as number) >= LEAST_LINE) found.push([`shared ${shared.hashes[at]}`, shared.numbers[at] as number])
  }
  return found.sort((a, b) => a[1] - b[1])
}
