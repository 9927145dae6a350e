import { groupBy } from '../core/group-by.ts'
import type { DuplicatePair } from '../core/insight/insight.ts'
import { NumberList } from '../search/number-list.ts'
import { type Corpus, MAX_COPIES } from './corpus.ts'
import { FLAG_BITS, spreadBits } from './note-record.ts'

const SHINGLE = 4
const MIN_SHINGLES = 12
/**
 * The sketch of a note consists of its `size` smallest hashes. Notes with `shared` equal hashes are compared. A pair of
 * similarity ½ is missed with a probability of .0002.
 */
const SKETCH = { size: 24, shared: 4 }
const MIN_SIMILARITY = 0.5
const MAX_COMPARED = 60
/** The minimum number of words in a line. Shorter lines may be equal by chance. */
const MIN_LINE = 3
const MAX_PAIRS = 1_000
const SHOWN_LINES = 3

/**
 * Finds near-duplicates, most similar first. Equal notes are all paired with the first one. Candidates share some minimum hashes
 * (Broder 1997).
 */
export function findDuplicates(corpus: Texts): readonly DuplicatePair[] {
  const pairs = [...equalPairs(corpus), ...alikePairs(corpus)]
  return pairs.sort((a, b) => b.alike - a.alike || a.notes[0] - b.notes[0] || a.notes[1] - b.notes[1]).slice(0, MAX_PAIRS)
}

function equalPairs(source: Texts): readonly DuplicatePair[] {
  const { texts } = source
  const notes = [...texts.numbers.keys()].filter((note) => (texts.words[note] as number) >= MIN_SHINGLES + SHINGLE - 1)
  return [...groupBy(notes, (note) => texts.numbers[note]).values()]
    .filter(({ length }) => length > 1 && length <= MAX_COPIES)
    .flatMap(([first = 0, ...others]) =>
      others.map((other): DuplicatePair => {
        const { lines: shownLines } = equalLines(first, other, source)
        return { notes: [first, other], alike: 1, equalLines: texts.lines[first] as number, lines: shownLines }
      }),
    )
}

function alikePairs(source: Texts): readonly DuplicatePair[] {
  const { lines, texts } = source
  const notes = lines.offsets.length - 1
  const pairs: DuplicatePair[] = []
  let cached: { readonly note: number; readonly shingles: Uint32Array } | undefined
  for (const pair of pairsToCompare(source)) {
    const note = Math.floor(pair / notes)
    const other = pair % notes
    if (texts.numbers[note] === texts.numbers[other]) continue
    if (cached?.note !== note) cached = { note, shingles: shinglesOf(note, source) }
    const similarity = jaccard(cached.shingles, shinglesOf(other, source))
    if (similarity < MIN_SIMILARITY) continue
    pairs.push({ notes: [note, other], alike: similarity, ...equalLines(note, other, source) })
  }
  return pairs
}

/** Returns pairs as `note * notes + other`, ascending. */
function pairsToCompare(source: Texts): readonly number[] {
  const notes = source.lines.offsets.length - 1
  const { hashes, starts } = sketchesOf(source)
  const places = new Float64Array(hashes.length)
  for (let note = 0; note < notes; note++) {
    for (let at = starts[note] as number; at < (starts[note + 1] as number); at++)
      places[at] = (hashes[at] as number) * notes + note
  }
  places.sort()
  const placeOf = new Uint32Array(places.length)
  const next = starts.slice()
  for (const [place, hash] of places.entries()) {
    const note = hash % notes
    placeOf[next[note] as number] = place
    next[note]!++
  }
  // The notes are compared one at a time, so only matching pairs stay in memory.
  const shared = new Uint8Array(notes)
  const counted: number[] = []
  const candidates: number[] = []
  for (let note = 0; note < notes; note++) {
    for (let at = starts[note] as number; at < (starts[note + 1] as number); at++) {
      const place = placeOf[at] as number
      const hash = Math.floor((places[place] as number) / notes)
      for (let other = place + 1; other < Math.min(places.length, place + 1 + MAX_COMPARED); other++) {
        if (Math.floor((places[other] as number) / notes) !== hash) break
        const otherNote = (places[other] as number) % notes
        if (shared[otherNote] === 0) counted.push(otherNote)
        shared[otherNote]!++
      }
    }
    for (const other of counted.sort((a, b) => a - b)) {
      if ((shared[other] as number) >= SKETCH.shared) candidates.push(note * notes + other)
      shared[other] = 0
    }
    counted.length = 0
  }
  return candidates
}

function sketchesOf(source: Texts): { readonly hashes: Uint32Array; readonly starts: Uint32Array } {
  const notes = source.lines.offsets.length - 1
  const hashes = new Uint32Array(notes * SKETCH.size)
  const starts = new Uint32Array(notes + 1)
  let count = 0
  for (let note = 0; note < notes; note++) {
    const shingles = shinglesOf(note, source)
    if (shingles.length >= MIN_SHINGLES) {
      const smallest = shingles.subarray(0, SKETCH.size)
      hashes.set(smallest, count)
      count += smallest.length
    }
    starts[note + 1] = count
  }
  return { hashes: hashes.slice(0, count), starts }
}

type Texts = Pick<Corpus, 'lines' | 'termOf' | 'texts'>

/** Returns distinct hashes in ascending order. Shared lines are included, because copies consist of them. */
function shinglesOf(note: number, { lines, termOf, texts: { sharedLines: shared } }: Texts): Uint32Array {
  const from = lines.offsets[note] as number
  const to = lines.offsets[note + 1] as number
  const shingles = scratch
  shingles.clear()
  for (let at = shared.offsets[note] as number; at < (shared.offsets[note + 1] as number); at++) {
    const count = (shared.words[at] as number) - SHINGLE + 1
    for (let part = 0; part < count; part++) shingles.push(spreadBits((shared.hashes[at] as number) + part))
  }
  const start = from === 0 ? 0 : (lines.ends[from - 1] as number)
  const end = from === to ? start : (lines.ends[to - 1] as number)
  for (let at = start; at + SHINGLE <= end; at++) {
    let hash = 0x811c9dc5
    for (let next = at; next < at + SHINGLE; next++) hash = Math.imul(hash ^ termAt(next, lines, termOf), 0x01000193)
    shingles.push(spreadBits(hash))
  }
  const sorted = shingles.copy().sort()
  let count = 0
  for (let at = 0; at < sorted.length; at++) if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[count++] = sorted[at] as number
  return sorted.subarray(0, count)
}

const scratch = new NumberList()

function termAt(word: number, lines: Texts['lines'], termOf: Uint32Array): number {
  return spreadBits(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
}

/** Returns the Jaccard index of two lists, which must be ascending and without duplicates. */
function jaccard(a: Uint32Array, b: Uint32Array): number {
  let both = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = (a[i] as number) - (b[j] as number)
    if (difference === 0) both++
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return both / Math.max(1, a.length + b.length - both)
}

function equalLines(note: number, other: number, texts: Texts): Pick<DuplicatePair, 'equalLines' | 'lines'> {
  const lineNumbers = new Map(linesOf(other, texts).toReversed())
  const pairs: (readonly [number, number])[] = []
  const usedLines = new Set<string>()
  for (const [key, line] of linesOf(note, texts)) {
    const otherLine = lineNumbers.get(key)
    if (otherLine === undefined || usedLines.has(key)) continue
    usedLines.add(key)
    pairs.push([line, otherLine])
  }
  return { equalLines: pairs.length, lines: pairs.slice(0, SHOWN_LINES) }
}

function linesOf(note: number, { lines, termOf, texts: { sharedLines: shared } }: Texts): readonly (readonly [string, number])[] {
  const from = lines.offsets[note] as number
  const found: (readonly [string, number])[] = []
  let word = from === 0 ? 0 : (lines.ends[from - 1] as number)
  for (let at = from; at < (lines.offsets[note + 1] as number); at++) {
    const terms: number[] = []
    for (; word < (lines.ends[at] as number); word++) terms.push(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
    if (terms.length >= MIN_LINE) found.push([terms.join(), lines.numbers[at] as number])
  }
  for (let at = shared.offsets[note] as number; at < (shared.offsets[note + 1] as number); at++) {
    if ((shared.words[at] as number) >= MIN_LINE) found.push([`shared ${shared.hashes[at]}`, shared.numbers[at] as number])
  }
  return found.sort((a, b) => a[1] - b[1])
}
