import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { ownCopy } from './fold-word.ts'

/**
 * English function words, as the analysis writes them (contractions without their apostrophe): articles, pronouns,
 * prepositions, conjunctions, auxiliaries, question words, and the adverbs that only link. They are indexed, because phrases
 * contain them, but a query drops them unless it has no other word.
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

/** Stems kept at hand; when they are more, all are forgotten. */
const MEMO = 50_000

const LETTERS = /^[a-z]+$/

/**
 * Endings of stems after the beginning shared with the form (`happy` → `happ·i`, `ability` → `ab·l`). A stem with
 * another ending is not used, so a prefix lookup finds every stem of a form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/** The stem of a form (M. F. Porter, An algorithm for suffix stripping, 1980); of anything but `a`–`z` the form itself. */
export function stemOf(form: string): string {
  const known = memo.get(form)
  if (known !== undefined) return known
  const own = ownCopy(form)
  const stem = isStemmed(own) ? checked(own, stemmer(own)) : own
  if (memo.size >= MEMO) memo.clear()
  memo.set(own, stem)
  return stem
}

/** Forgets the stems kept at hand: who indexed many words needs few from then on. */
export function forgetStems(): void {
  memo.clear()
}

/** True if a form's stem may differ from it; true for all beginnings of such a form, too. */
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

/** True if an analysed form is an English function word. */
export function isStopWord(form: string): boolean {
  return STOP_WORDS.has(form)
}

/** Where the forms with a given beginning lie. */
export interface PrefixPlaces {
  /** All stems from `from` on and before `to`, as bytes. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Single stems before them: a stem may be shorter than the beginning of its form. Ascending. */
  readonly stems: readonly Uint8Array[]
}

/**
 * A form's stem begins like the form and goes on with one of `STEM_TAILS`: either it shares the whole prefix, and lies in the range, or
 * a shorter beginning of it followed by a tail.
 */
export function placesOfPrefix(prefix: string): PrefixPlaces {
  const from = Buffer.from(prefix)
  // No UTF-8 text holds this byte.
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

/** The common beginning of every form that a term finds. */
export function beginningOf({ form, stem, match }: WordTerm): string {
  if (match !== 'stem') return form
  const tails = STEM_TAILS.filter((tail) => stem.endsWith(tail) && stem.length > tail.length)
  return stem.slice(0, stem.length - Math.max(...tails.map((tail) => tail.length)))
}
