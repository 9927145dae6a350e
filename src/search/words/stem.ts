import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { FUNCTION_WORDS, type WordedLanguage } from '../languages/function-words.ts'
import { shorterStems, withoutEndings } from './endings.ts'
import { foldWord, ownCopy } from './fold-word.ts'

/** Maximum number of cached stems. A full cache is cleared. */
const MEMO = 50_000

const LETTERS = /^[a-z]+$/

/**
 * A stem consists of a prefix of its form and one of these tails (`happy` → `happ·i`, `ability` → `ab·l`). Stems with other tails
 * are not used, so a prefix lookup finds the stem of every form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/**
 * Returns the stem under which a form is stored in a note in the given language. If the language has its own endings and the word
 * is in its script, the endings are removed and the stem is marked, so languages do not share stems. All other words are
 * stemmed by the English rules (M. F. Porter, An algorithm for suffix stripping, 1980), which leave anything other than `a`–`z`
 * unchanged.
 */
export function stemOf(form: string, language?: string): string {
  const languageStem = language === undefined ? undefined : withoutEndings(form, language)
  return languageStem === undefined ? englishStem(form) : withLanguage(languageStem, language as string)
}

/** Returns all stems under which a form may be stored in notes in the given languages. */
export function stemsOf(form: string, languages: readonly string[]): readonly string[] {
  return [...new Set([englishStem(form), ...languages.map((language) => stemOf(form, language))])]
}

/** Marks a stem with its language. No form contains `~`. */
function withLanguage(stem: string, language: string): string {
  return `${stem}~${language}`
}

function englishStem(form: string): string {
  const cached = memo.get(form)
  if (cached !== undefined) return cached
  const copy = ownCopy(form)
  const stem = isStemmed(copy) ? checked(copy, stemmer(copy)) : copy
  if (memo.size >= MEMO) memo.clear()
  memo.set(copy, stem)
  return stem
}

/** Clears the cache of stems, which is of little use after indexing. */
export function forgetStems(): void {
  memo.clear()
}

/** Checks whether a form's English stem may differ from the form. If so, the result is true for all of its prefixes, too. */
export function isStemmed(form: string): boolean {
  return LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}

/**
 * Checks whether a form is a function word in the language, or in English if the language is unknown or has no list. Function
 * words are indexed, because phrases contain them, but dropped from queries with other words. The Vietnamese list is not used,
 * because many other words look the same without accents.
 */
export function isStopWord(form: string, language = 'en'): boolean {
  const ruleLanguage = language in FUNCTION_WORDS && language !== 'vi' ? (language as WordedLanguage) : 'en'
  const words = stopWords.get(ruleLanguage) ?? new Set(FUNCTION_WORDS[ruleLanguage].split(/\s+/).map(foldWord))
  stopWords.set(ruleLanguage, words)
  return words.has(form)
}

const stopWords = new Map<string, ReadonlySet<string>>()

/** Where forms with a certain prefix are stored. */
export interface PrefixPlaces {
  /** All stems from `from` (inclusive) to `to` (exclusive), in UTF-8. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Single stems before `from`, in ascending order. A stem may be shorter than the prefix of its form. */
  readonly stems: readonly Uint8Array[]
}

/**
 * Returns where forms with the given prefix are stored in notes in the given languages. An English stem is a prefix of its form
 * plus one of `STEM_TAILS`, and any other stem is a prefix of its form. So a stem either contains the whole prefix and is in the
 * range, or is shorter.
 */
export function placesOfPrefix(prefix: string, languages: readonly string[]): PrefixPlaces {
  const from = Buffer.from(prefix)
  // This byte does not occur in UTF-8 text.
  const to = Buffer.concat([from, Buffer.of(0xff)])
  const stems = new Set<string>()
  if (isStemmed(prefix)) {
    for (let length = 1; length < prefix.length; length++) {
      for (const tail of STEM_TAILS) stems.add(prefix.slice(0, length) + tail)
    }
  }
  for (const language of languages) {
    for (const stem of shorterStems(prefix, language)) stems.add(withLanguage(stem, language))
  }
  const shorter = [...stems].filter((stem) => !stem.startsWith(prefix)).sort()
  return { from, to, stems: shorter.map((stem) => Buffer.from(stem)) }
}

/** Returns the common prefix of all forms that a term matches in a text in the given language. */
export function beginningOf({ form, stem, match }: WordTerm, language?: string): string {
  if (match !== 'stem') return form
  const tails = STEM_TAILS.filter((tail) => stem.endsWith(tail) && stem.length > tail.length)
  const english = stem.slice(0, stem.length - Math.max(...tails.map((tail) => tail.length)))
  const languageStem = language === undefined ? undefined : withoutEndings(form, language)
  return languageStem === undefined || english.length < languageStem.length ? english : languageStem
}
