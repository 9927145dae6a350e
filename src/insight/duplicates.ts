import type { DuplicatePair } from '../core/link-suggestions.ts'
import { NumberList } from '../search/number-list.ts'
import type { Corpus } from './corpus.ts'
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
/** Notes that a number has room for beside a band's hash of 32 bits. */
const MOST_NOTES = 2 ** 21
/** Bits that tell which shingles several notes have: few fall together by chance, and 100,000 notes take 32 MB. */
const BITS_A_WORD = 8
const MOST_BITS = 27
/** Shorter lines are equal by chance. */
const LEAST_LINE = 3
const MOST_PAIRS = 1_000
/** What more notes say word for word is a template that nothing was written into yet. */
const MOST_EQUAL = 20
const SHOWN_LINES = 3

/**
 * Pairs of notes that say much the same, the most alike first. Of notes that are equal, the first with each of the others; what is alike in their own
 * words by MinHash (A. Broder, 1997), then exactly.
 */
export function findDuplicates(corpus: Pick<Corpus, 'lines' | 'termOf' | 'texts'>): readonly DuplicatePair[] {
  const pairs = [...equalPairs(corpus), ...alikePairs(corpus)]
  return pairs.sort((a, b) => b.alike - a.alike || a.notes[0] - b.notes[0] || a.notes[1] - b.notes[1]).slice(0, MOST_PAIRS)
}

/** Notes of one text: where there are several, each of their lines may count as boilerplate. */
function equalPairs({ lines, termOf, texts }: Pick<Corpus, 'lines' | 'termOf' | 'texts'>): readonly DuplicatePair[] {
  const groups = new Map<number, number[]>()
  for (const [note, text] of texts.numbers.entries()) {
    if ((texts.words[note] as number) < LEAST_SHINGLES + SHINGLE - 1) continue
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [note])
    else group.push(note)
  }
  return [...groups.values()]
    .filter(({ length }) => length > 1 && length <= MOST_EQUAL)
    .flatMap(([first = 0, ...others]) =>
      others.map((other): DuplicatePair => {
        const { lines: shown } = equalLines(first, other, { lines, termOf })
        return { notes: [first, other], alike: 1, equalLines: texts.lines[first] as number, lines: shown }
      }),
    )
}

function alikePairs(corpus: Pick<Corpus, 'lines' | 'termOf' | 'texts'>): readonly DuplicatePair[] {
  const notes = corpus.lines.offsets.length - 1
  const pairs: DuplicatePair[] = []
  let kept: { readonly note: number; readonly shingles: Uint32Array } | undefined
  for (const pair of pairsInBands(sharingNotes(corpus), corpus)) {
    const note = Math.floor(pair / notes)
    const other = pair % notes
    if (corpus.texts.numbers[note] === corpus.texts.numbers[other]) continue
    if (kept?.note !== note) kept = { note, shingles: shinglesOf(note, corpus) }
    const alike = jaccard(kept.shingles, shinglesOf(other, corpus))
    if (alike < LEAST_ALIKE) continue
    pairs.push({ notes: [note, other], alike, ...equalLines(note, other, corpus) })
  }
  return pairs
}

/**
 * The notes that may be alike another, ascending: those of whose shingles so many are in other notes, too. Which are is looked up in bits by hash, so that
 * some notes too many are told, and none too few; it spares most notes a signature.
 */
function sharingNotes(texts: Texts): Uint32Array {
  const notes = texts.lines.offsets.length - 1
  const bits = 2 ** Math.min(MOST_BITS, Math.ceil(Math.log2(BITS_A_WORD * (texts.lines.words.length + 8))))
  const [once, again] = [new Uint8Array(bits / 8), new Uint8Array(bits / 8)]
  for (let note = 0; note < notes; note++) {
    for (const shingle of shinglesOf(note, texts)) {
      const at = shingle % bits
      const bit = 1 << (at & 7)
      if (((once[at >>> 3] as number) & bit) === 0) once[at >>> 3]! |= bit
      else again[at >>> 3]! |= bit
    }
  }
  const found = new NumberList()
  for (let note = 0; note < notes; note++) {
    const shingles = shinglesOf(note, texts)
    if (shingles.length < LEAST_SHINGLES) continue
    let shared = 0
    for (const shingle of shingles) shared += ((again[(shingle % bits) >>> 3] as number) >>> (shingle & 7)) & 1
    if (shared >= LEAST_ALIKE * shingles.length) found.push(note)
  }
  return found.items.slice(0, found.length)
}

/** The pairs of these notes that agree in a band, ascending: number of the one × number of all notes + number of the other. */
function pairsInBands(among: Uint32Array, texts: Texts): Float64Array {
  const notes = texts.lines.offsets.length - 1
  const bands = new Uint32Array(among.length * BANDS)
  for (const [at, note] of among.entries()) bandsOf(shinglesOf(note, texts), bands.subarray(at * BANDS, (at + 1) * BANDS))
  const pairs = new Set<number>()
  const keys = new Float64Array(among.length)
  for (let band = 0; band < BANDS; band++) {
    for (let at = 0; at < among.length; at++) keys[at] = (bands[at * BANDS + band] as number) * MOST_NOTES + at
    keys.sort()
    for (let at = 0; at < keys.length; at++) {
      const hash = Math.floor((keys[at] as number) / MOST_NOTES)
      const note = among[(keys[at] as number) % MOST_NOTES] as number
      for (let next = at + 1; next <= at + MOST_COMPARED && next < keys.length; next++) {
        if (Math.floor((keys[next] as number) / MOST_NOTES) !== hash) break
        pairs.add(note * notes + (among[(keys[next] as number) % MOST_NOTES] as number))
      }
    }
  }
  return Float64Array.from(pairs).sort()
}

type Texts = Pick<Corpus, 'lines' | 'termOf'>

/** The distinct sequences of words of a note's own lines, as hashes, ascending. */
function shinglesOf(note: number, { lines, termOf }: Texts): Uint32Array {
  const from = lines.offsets[note] as number
  const to = lines.offsets[note + 1] as number
  if (from === to) return new Uint32Array()
  const start = from === 0 ? 0 : (lines.ends[from - 1] as number)
  const end = lines.ends[to - 1] as number
  const all = new Uint32Array(Math.max(0, end - start - SHINGLE + 1))
  for (let at = 0; at < all.length; at++) {
    let hash = 0x811c9dc5
    for (let next = start + at; next < start + at + SHINGLE; next++) {
      hash = Math.imul(hash ^ termAt(next, { lines, termOf }), 0x01000193)
    }
    all[at] = spreadBits(hash)
  }
  all.sort()
  let count = 0
  for (const shingle of all) if (count === 0 || shingle !== all[count - 1]) all[count++] = shingle
  return all.subarray(0, count)
}

function termAt(word: number, { lines, termOf }: Texts): number {
  return spreadBits(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
}

/** Writes one number for each band of a signature. */
function bandsOf(shingles: Uint32Array, bands: Uint32Array): void {
  const least = new Uint32Array(BANDS * ROWS).fill(0xffff_ffff)
  for (const shingle of shingles) {
    for (let row = 0; row < least.length; row++) {
      const value = spreadBits(shingle ^ Math.imul(row + 1, 0x9e3779b1))
      if (value < (least[row] as number)) least[row] = value
    }
  }
  for (let band = 0; band < BANDS; band++) {
    let hash = band
    for (let row = 0; row < ROWS; row++) hash = Math.imul(hash ^ (least[band * ROWS + row] as number), 0x01000193)
    bands[band] = spreadBits(hash)
  }
}

/** What share of all shingles both have. */
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

/** The words of each line that has some, and its number in the file. */
function linesOf(note: number, { lines, termOf }: Texts): readonly (readonly [string, number])[] {
  const from = lines.offsets[note] as number
  const found: (readonly [string, number])[] = []
  let word = from === 0 ? 0 : (lines.ends[from - 1] as number)
  for (let at = from; at < (lines.offsets[note + 1] as number); at++) {
    const terms: number[] = []
    for (; word < (lines.ends[at] as number); word++) terms.push(termOf[(lines.words[word] as number) >>> FLAG_BITS] as number)
    if (terms.length >= LEAST_LINE) found.push([terms.join(), lines.numbers[at] as number])
  }
  return found
}
