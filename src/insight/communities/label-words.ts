import type { Corpus } from '../corpus.ts'
import { FLAG_BITS } from '../note-record.ts'

/** The source of label words: the words of all notes, without boilerplate. */
export type LabelCorpus = Pick<Corpus, 'bags' | 'forms' | 'terms' | 'termOf' | 'lines'>

/** A group of notes and the whole it should differ from; groups of one whole are adjacent. */
export interface LabelledGroup {
  readonly notes: Uint32Array
  readonly whole: Uint32Array
}

export interface LabelWords {
  /** Most telling first. */
  readonly words: readonly string[]
  /** Their terms, and some more. */
  readonly terms: readonly number[]
}

/** Maximum words per group. */
const WORDS = 4
/** Terms that show which of its notes are typical. */
const TERMS = 8
/** How many are looked at, because others may have the better claim to the first. */
const CANDIDATES = 24
/** A word that fewer of a group's notes have says nothing about the group. */
const LEAST = { notes: 2, share: 0.04 }

/**
 * For each group of notes the words that say what it is about: those that many of its notes have (each note counted once) and few others of
 * the whole (share × logarithm of lift). A word is given to the one group that it says most about.
 */
export function labelWords(corpus: LabelCorpus, groups: readonly LabelledGroup[]): readonly LabelWords[] {
  const owners = new Map<string, { readonly group: number; readonly score: number }>()
  const counted = { whole: undefined as Uint32Array | undefined, counts: new Uint32Array(corpus.terms.length) }
  const counts = new Uint32Array(corpus.terms.length)
  const wholes = new Map<Uint32Array, number>()
  const candidates = groups.map(({ notes, whole }, group) => {
    if (counted.whole !== whole) {
      counted.counts.fill(0)
      countTerms(corpus, whole, counted.counts)
      counted.whole = whole
      wholes.set(whole, wholes.size)
    }
    const best = tellingTerms(corpus, { notes, whole }, { inWhole: counted.counts, counts })
    return best.map(({ term, score }) => {
      // Counts of another whole do not apply here.
      const key = `${wholes.get(whole)} ${term}`
      if (score > (owners.get(key)?.score ?? 0)) owners.set(key, { group, score })
      return { key, term }
    })
  })
  const spellings = spellingsOf(corpus)
  return candidates.map((best, group) => {
    const terms = best
      .filter(({ key, term }) => owners.get(key)?.group === group && !isNameOfFile(corpus.terms[term] as string))
      .map(({ term }) => term)
    const words = withoutOverlaps(terms.map((term) => corpus.forms[spellings[term] as number] as string)).slice(0, WORDS)
    return { words, terms: terms.slice(0, TERMS) }
  })
}

/** Files that notes show, and endings alone: they stand in many notes of a community and say nothing. */
function isNameOfFile(term: string): boolean {
  return /^\.|.\.(?:avif|bmp|canvas|gif|jpe?g|m4a|mov|mp3|mp4|ogg|pdf|png|svg|wav|webm|webp)$/.test(term)
}

/** Counts in how many of the notes each term is. @returns the terms that were not counted before */
function countTerms({ bags: { offsets, terms } }: LabelCorpus, notes: Uint32Array, counts: Uint32Array): readonly number[] {
  const met: number[] = []
  for (const note of notes) {
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      if (counts[terms[at] as number]!++ === 0) met.push(terms[at] as number)
    }
  }
  return met
}

/** The terms that tell a group from the whole, most telling first; `counts` is all zeros before and after. */
function tellingTerms(
  corpus: LabelCorpus,
  { notes, whole }: LabelledGroup,
  { inWhole, counts }: Readonly<Record<'inWhole' | 'counts', Uint32Array>>,
) {
  const least = Math.max(LEAST.notes, notes.length * LEAST.share)
  const found: { readonly term: number; readonly score: number }[] = []
  for (const term of countTerms(corpus, notes, counts)) {
    const count = counts[term] as number
    counts[term] = 0
    if (count < least) continue
    const share = count / notes.length
    const lift = (share * whole.length) / (inWhole[term] as number)
    // The power keeps out what is but somewhat more frequent here, such as words of any prose.
    if (lift > 1) found.push({ term, score: share * Math.log(lift) ** 1.5 })
  }
  return found.sort((a, b) => b.score - a.score || a.term - b.term).slice(0, CANDIDATES)
}

/** For each term the form that notes use most; of one that is in names only, any. */
function spellingsOf({ forms, terms, termOf, lines }: LabelCorpus): Uint32Array {
  const uses = new Uint32Array(forms.length)
  for (const word of lines.words) uses[word >>> FLAG_BITS]!++
  const best = new Int32Array(terms.length).fill(-1)
  termOf.forEach((term, form) => {
    const known = best[term] as number
    if (known === -1 || (uses[form] as number) > (uses[known] as number)) best[term] = form
  })
  return Uint32Array.from(best)
}

/** Of two overlapping character pairs in a script without spaces, keep one. */
function withoutOverlaps(words: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const word of words) {
    const [first, last] = [word[0] as string, word.at(-1) as string]
    if (word.charCodeAt(0) < UNSPACED || !kept.some((other) => other.endsWith(first) || other.startsWith(last))) kept.push(word)
  }
  return kept
}

/** Where scripts begin that stand without spaces (radicals, kana, ideographs). */
const UNSPACED = 0x2e80
