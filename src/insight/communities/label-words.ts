import type { Corpus } from '../corpus.ts'
import { FLAG_BITS } from '../note-record.ts'

export type LabelCorpus = Pick<Corpus, 'bags' | 'forms' | 'terms' | 'termOf' | 'lines'>

/** A group of notes to label, in contrast to `whole`. Groups with the same `whole` must be adjacent. */
export interface LabeledGroup {
  readonly notes: Uint32Array
  readonly whole: Uint32Array
}

export interface LabelWords {
  readonly words: readonly string[]
  readonly terms: readonly number[]
}

const WORDS = 4
const TERMS = 8
/** More candidates than words, because other groups may win some of them. */
const CANDIDATES = 24
/** Minimum number and share of a group's notes that contain a word. */
const MIN_USE = { notes: 2, share: 0.04 }

/** Labels groups by words, which are scored by share × logarithm of lift. Each word goes to the group with the highest score. */
export function labelWords(corpus: LabelCorpus, groups: readonly LabeledGroup[]): readonly LabelWords[] {
  const cached = { whole: undefined as Uint32Array | undefined, counts: new Uint32Array(corpus.terms.length) }
  const counts = new Uint32Array(corpus.terms.length)
  const wholes = new Map<Uint32Array, number>()
  const candidates = groups.map(({ notes, whole }) => {
    if (cached.whole !== whole) {
      cached.counts.fill(0)
      countTerms(corpus, whole, cached.counts)
      cached.whole = whole
      wholes.set(whole, wholes.size)
    }
    const best = distinctiveTerms(corpus, { notes, whole }, { inWhole: cached.counts, counts })
    // Groups with the same `whole` do not share words.
    return best.map(({ term, score }) => ({ id: `${wholes.get(whole)} ${term}`, term, score }))
  })
  const owners = ownersOf(candidates)
  const spellings = spellingsOf(corpus)
  return candidates.map((best, group) => {
    const terms = best
      .filter(({ id, term }) => owners.get(id) === group && !isNameOfFile(corpus.terms[term] as string))
      .map(({ term }) => term)
    const words = withoutOverlaps(terms.map((term) => corpus.forms[spellings[term] as number] as string)).slice(0, WORDS)
    return { words, terms: terms.slice(0, TERMS) }
  })
}

/** Returns the group with the highest score for each id. If scores are equal, the first group wins. */
export function ownersOf(
  groups: readonly (readonly { readonly id: string; readonly score: number }[])[],
): ReadonlyMap<string, number> {
  const best = new Map<string, number>()
  const owners = new Map<string, number>()
  groups.forEach((candidates, group) => {
    for (const { id, score } of candidates) {
      if (score <= (best.get(id) ?? 0)) continue
      best.set(id, score)
      owners.set(id, group)
    }
  })
  return owners
}

/** Returns true for file names and extensions, which are not distinctive. */
function isNameOfFile(term: string): boolean {
  return /^\.|.\.(?:avif|bmp|canvas|gif|jpe?g|m4a|mov|mp3|mp4|ogg|pdf|png|svg|wav|webm|webp)$/.test(term)
}

/** @returns the terms that are new in `counts` */
function countTerms({ bags: { offsets, terms } }: LabelCorpus, notes: Uint32Array, counts: Uint32Array): readonly number[] {
  const usedTerms: number[] = []
  for (const note of notes) {
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      if (counts[terms[at] as number]!++ === 0) usedTerms.push(terms[at] as number)
    }
  }
  return usedTerms
}

/** Returns distinctive terms, the most distinctive first. `counts` is scratch space and must be all zeros. */
function distinctiveTerms(
  corpus: LabelCorpus,
  { notes, whole }: LabeledGroup,
  { inWhole, counts }: Readonly<Record<'inWhole' | 'counts', Uint32Array>>,
) {
  const minNotes = Math.max(MIN_USE.notes, notes.length * MIN_USE.share)
  const scoredTerms: { readonly term: number; readonly score: number }[] = []
  for (const term of countTerms(corpus, notes, counts)) {
    const count = counts[term] as number
    counts[term] = 0
    if (count < minNotes) continue
    const share = count / notes.length
    const lift = (share * whole.length) / (inWhole[term] as number)
    // The exponent suppresses words whose frequency is only slightly higher.
    if (lift > 1) scoredTerms.push({ term, score: share * Math.log(lift) ** 1.5 })
  }
  return scoredTerms.sort((a, b) => b.score - a.score || a.term - b.term).slice(0, CANDIDATES)
}

function spellingsOf({ forms, terms, termOf, lines }: LabelCorpus): Uint32Array {
  const uses = new Uint32Array(forms.length)
  for (const word of lines.words) uses[word >>> FLAG_BITS]!++
  const best = new Int32Array(terms.length).fill(-1)
  termOf.forEach((term, form) => {
    const current = best[term] as number
    if (current === -1 || (uses[form] as number) > (uses[current] as number)) best[term] = form
  })
  return Uint32Array.from(best)
}

/** Drops the second of two overlapping words, because text without spaces is indexed as overlapping character pairs. */
function withoutOverlaps(words: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const word of words) {
    const [first, last] = [word[0] as string, word.at(-1) as string]
    if (word.charCodeAt(0) < UNSPACED || !kept.some((other) => other.endsWith(first) || other.startsWith(last))) kept.push(word)
  }
  return kept
}

/** The first code unit of CJK scripts. */
export const UNSPACED = 0x2e80
