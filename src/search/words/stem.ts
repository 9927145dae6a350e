import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { ownCopy } from './fold-word.ts'

/**
 * English function words in analyzed form (contractions without apostrophes): articles, pronouns, prepositions, conjunctions,
 * auxiliaries, question words, and linking adverbs. They are indexed, because phrases contain them, but dropped from queries that
 * have other words.
 */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...words('a an the this that these those such same other another each every either neither both all any some no none'),
  ...words('i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers'),
  ...words('herself it its itself they them their theirs themselves one ones'),
  ...words('who whom whose which what when where why how whether'),
  ...words('and or but nor so yet if then else than because as while although though unless until since'),
  ...words('of in on at by to from for with without within into onto upon about above below under over between among through'),
  ...words('during before after against toward towards via per up down out off'),
  ...words('am is are was were be been being do does did doing done have has had having'),
  ...words('can could may might must shall should will would'),
  ...words('not only very too also just more most much many few own again further once here there now ever'),
  ...words('dont doesnt didnt isnt arent wasnt werent wont wouldnt cant cannot couldnt shouldnt havent hasnt hadnt'),
])

/** Maximum number of cached stems. When full, the cache is cleared. */
const MEMO = 50_000

const LETTERS = /^[a-z]+$/

/**
 * Possible endings of stems after the prefix shared with the form (`happy` → `happ·i`, `ability` → `ab·l`). Stems with other endings
 * are not used, so a prefix lookup finds the stem of every form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/**
 * Returns the stem of a form (M. F. Porter, An algorithm for suffix stripping, 1980). Anything other than `a`–`z` is returned
 * unchanged.
 */
export function stemOf(form: string): string {
  const known = memo.get(form)
  if (known !== undefined) return known
  const own = ownCopy(form)
  const stem = isStemmed(own) ? checked(own, stemmer(own)) : own
  if (memo.size >= MEMO) memo.clear()
  memo.set(own, stem)
  return stem
}

/** Clears the cache of stems, which is hardly needed after indexing. */
export function forgetStems(): void {
  memo.clear()
}

/** Checks whether a form's stem may differ from the form. Also true for all prefixes of such a form. */
export function isStemmed(form: string): boolean {
  return LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}

function words(text: string): string[] {
  return text.split(' ')
}

/** Checks whether an analyzed form is an English function word. */
export function isStopWord(form: string): boolean {
  return STOP_WORDS.has(form)
}

/** Where forms with a given prefix are stored. */
export interface PrefixPlaces {
  /** All stems from `from` (inclusive) to `to` (exclusive), as bytes. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Individual stems before `from`, in ascending order. They are needed because a stem can be shorter than its form's prefix. */
  readonly stems: readonly Uint8Array[]
}

/**
 * Returns where forms with a prefix are stored. A form's stem consists of a prefix of the form and one of `STEM_TAILS`, so the stem
 * either contains the whole prefix and is in the range, or is a shorter prefix followed by a tail.
 */
export function placesOfPrefix(prefix: string): PrefixPlaces {
  const from = Buffer.from(prefix)
  // No UTF-8 text contains this byte.
  const to = Buffer.concat([from, Buffer.of(0xff)])
  const stems = new Set<string>()
  if (isStemmed(prefix)) {
    for (let length = 1; length < prefix.length; length++) {
      for (const tail of STEM_TAILS) stems.add(prefix.slice(0, length) + tail)
    }
  }
  const shorter = [...stems].filter((stem) => !stem.startsWith(prefix)).sort()
  return { from, to, stems: shorter.map((stem) => Buffer.from(stem)) }
}

/** Returns the common prefix of all forms that a term matches. */
export function beginningOf({ form, stem, match }: WordTerm): string {
  if (match !== 'stem') return form
  const tails = STEM_TAILS.filter((tail) => stem.endsWith(tail) && stem.length > tail.length)
  return stem.slice(0, stem.length - Math.max(...tails.map((tail) => tail.length)))
}
