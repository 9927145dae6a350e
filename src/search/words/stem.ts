import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { FUNCTION_WORDS, type WordedLanguage } from '../languages/function-words.ts'
import { shorterStems, withoutEndings } from './endings.ts'
import { foldWord, ownCopy } from './fold-word.ts'

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
 * Returns the stem under which a form is stored in a note of this language. Words in the script of a language with own endings lose
 * these, and their stems are marked, so that no stem means words of two languages. All others are stemmed by the English rules (M. F.
 * Porter, An algorithm for suffix stripping, 1980), which leave anything other than `a`–`z` unchanged.
 */
export function stemOf(form: string, language?: string): string {
  const own = language === undefined ? undefined : withoutEndings(form, language)
  return own === undefined ? englishStem(form) : marked(own, language as string)
}

/** Returns all stems under which a form can be stored in notes of these languages. */
export function stemsOf(form: string, languages: readonly string[]): readonly string[] {
  return [...new Set([englishStem(form), ...languages.map((language) => stemOf(form, language))])]
}

/** No form contains `~`. */
function marked(stem: string, language: string): string {
  return `${stem}~${language}`
}

function englishStem(form: string): string {
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

/** Checks whether a form's English stem may differ from the form. Also true for all prefixes of such a form. */
export function isStemmed(form: string): boolean {
  return LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}

/**
 * Checks whether a form is a function word of the language, or of English if the language is unknown or has no list. Function words are
 * indexed, because phrases contain them, but dropped from queries that have other words. Vietnamese ones are kept, because without accents
 * they are many other words.
 */
export function isStopWord(form: string, language = 'en'): boolean {
  const known = language in FUNCTION_WORDS && language !== 'vi' ? (language as WordedLanguage) : 'en'
  const words = stopWords.get(known) ?? new Set(FUNCTION_WORDS[known].split(/\s+/).map(foldWord))
  stopWords.set(known, words)
  return words.has(form)
}

const stopWords = new Map<string, ReadonlySet<string>>()

/** Where forms with a given prefix are stored. */
export interface PrefixPlaces {
  /** All stems from `from` (inclusive) to `to` (exclusive), as bytes. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Individual stems before `from`, in ascending order. They are needed because a stem can be shorter than its form's prefix. */
  readonly stems: readonly Uint8Array[]
}

/**
 * Returns where forms with a prefix are stored in notes of these languages. An English stem consists of a prefix of the form and one of
 * `STEM_TAILS`, and a stem of another language is a prefix, so it either contains the whole prefix and is in the range, or is shorter.
 */
export function placesOfPrefix(prefix: string, languages: readonly string[]): PrefixPlaces {
  const from = Buffer.from(prefix)
  // No UTF-8 text contains this byte.
  const to = Buffer.concat([from, Buffer.of(0xff)])
  const stems = new Set<string>()
  if (isStemmed(prefix)) {
    for (let length = 1; length < prefix.length; length++) {
      for (const tail of STEM_TAILS) stems.add(prefix.slice(0, length) + tail)
    }
  }
  for (const language of languages) {
    for (const stem of shorterStems(prefix, language)) stems.add(marked(stem, language))
  }
  const shorter = [...stems].filter((stem) => !stem.startsWith(prefix)).sort()
  return { from, to, stems: shorter.map((stem) => Buffer.from(stem)) }
}

/** Returns the common prefix of all forms that a term matches in a text of this language. */
export function beginningOf({ form, stem, match }: WordTerm, language?: string): string {
  if (match !== 'stem') return form
  const tails = STEM_TAILS.filter((tail) => stem.endsWith(tail) && stem.length > tail.length)
  const english = stem.slice(0, stem.length - Math.max(...tails.map((tail) => tail.length)))
  const own = language === undefined ? undefined : withoutEndings(form, language)
  return own === undefined || english.length < own.length ? english : own
}
