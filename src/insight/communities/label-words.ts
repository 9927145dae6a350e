import type { Corpus } from '../corpus.ts'
import { FLAG_BITS } from '../note-record.ts'

/** The parts of a corpus that labels are made from. */
export type LabelCorpus = Pick<Corpus, 'bags' | 'forms' | 'terms' | 'termOf' | 'lines'>

/** A group of notes, and the set from which its label should distinguish it. Groups of the same set must be adjacent. */
export interface LabelledGroup {
  readonly notes: Uint32Array
  readonly whole: Uint32Array
}

export interface LabelWords {
  /** Most distinctive first. */
  readonly words: readonly string[]
  /** The distinctive terms behind `words`, and a few more. */
  readonly terms: readonly number[]
}

/** Maximum number of words per group. */
const WORDS = 4
/** Number of terms for finding typical notes. */
const TERMS = 8
/** Number of candidates. Some of the first may go to other groups, so it exceeds the number of words. */
const CANDIDATES = 24
/** A word characterizes a group if it occurs in at least this many, and this share, of its notes. */
const MIN_USE = { notes: 2, share: 0.04 }

/**
 * Returns words that describe each group: many of its notes contain them, but few others of the larger set do (share × logarithm of
 * lift). A word that fits several groups goes to the one it fits best.
 */
export function labelWords(corpus: LabelCorpus, groups: readonly LabelledGroup[]): readonly LabelWords[] {
  const owners = new Map<string, { readonly group: number; readonly score: number }>()
  const cached = { whole: undefined as Uint32Array | undefined, counts: new Uint32Array(corpus.terms.length) }
  const counts = new Uint32Array(corpus.terms.length)
  const wholes = new Map<Uint32Array, number>()
  const candidates = groups.map(({ notes, whole }, group) => {
    if (cached.whole !== whole) {
      cached.counts.fill(0)
      countTerms(corpus, whole, cached.counts)
      cached.whole = whole
      wholes.set(whole, wholes.size)
    }
    const best = distinctiveTerms(corpus, { notes, whole }, { inWhole: cached.counts, counts })
    return best.map(({ term, score }) => {
      // A word describes at most one of the groups that are part of the same set.
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

/** Checks whether a term is a file name or an extension. Such terms are not distinctive, even if they occur in many notes. */
function isNameOfFile(term: string): boolean {
  return /^\.|.\.(?:avif|bmp|canvas|gif|jpe?g|m4a|mov|mp3|mp4|ogg|pdf|png|svg|wav|webm|webp)$/.test(term)
}

/**
 * Counts the notes that contain each term.
 * @returns the terms that had not been counted before
 */
function countTerms({ bags: { offsets, terms } }: LabelCorpus, notes: Uint32Array, counts: Uint32Array): readonly number[] {
  const usedTerms: number[] = []
  for (const note of notes) {
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      if (counts[terms[at] as number]!++ === 0) usedTerms.push(terms[at] as number)
    }
  }
  return usedTerms
}

/**
 * Returns the terms that distinguish a group from the whole, most distinctive first. `counts` must be all zeros, and is so again
 * afterwards.
 */
function distinctiveTerms(
  corpus: LabelCorpus,
  { notes, whole }: LabelledGroup,
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
    // The exponent excludes words that are only slightly more frequent in the group, such as common words of prose.
    if (lift > 1) scoredTerms.push({ term, score: share * Math.log(lift) ** 1.5 })
  }
  return scoredTerms.sort((a, b) => b.score - a.score || a.term - b.term).slice(0, CANDIDATES)
}

/** Returns the most frequent form of each term. For a term that occurs only in names, returns any form. */
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

/** Characters without spaces between words are indexed in overlapping pairs. Keeps only one of two such pairs. */
function withoutOverlaps(words: readonly string[]): readonly string[] {
  const kept: string[] = []
  for (const word of words) {
    const [first, last] = [word[0] as string, word.at(-1) as string]
    if (word.charCodeAt(0) < UNSPACED || !kept.some((other) => other.endsWith(first) || other.startsWith(last))) kept.push(word)
  }
  return kept
}

/** First code unit of scripts without spaces (radicals, kana, ideographs). */
const UNSPACED = 0x2e80
