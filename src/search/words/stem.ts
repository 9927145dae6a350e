import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { FUNCTION_WORDS, type WordedLanguage } from '../languages/function-words.ts'
import { shorterStems, withoutEndings } from './endings.ts'
import { foldWord, ownCopy } from './fold-word.ts'

/** Maximum number of cached stems, before the cache is cleared. */
const MEMO = 50_000

const LETTERS = /^[a-z]+$/

/**
 * An English stem is a prefix of the form plus one of these tails (`happy` → `happ·i`, `ability` → `ab·l`). Stems with other tails
 * are not used, so a prefix lookup can find the stem of every form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/**
 * Returns the stem under which a form is indexed for a note in the given language. If there are endings for the language and the
 * word is in its script, the endings are removed and the stem is marked with the language, so languages do not share stems. Other
 * words are stemmed by the English rules (M. F. Porter, An algorithm for suffix stripping, 1980), which affect only words of
 * `a`–`z`.
 */
export function stemOf(form: string, language?: string): string {
  const languageStem = language === undefined ? undefined : withoutEndings(form, language)
  return languageStem === undefined ? englishStem(form) : withLanguage(languageStem, language as string)
}

/** Returns all stems under which a form may be indexed for notes in the given languages. */
export function stemsOf(form: string, languages: readonly string[]): readonly string[] {
  return [...new Set([englishStem(form), ...languages.map((language) => stemOf(form, language))])]
}

/** Marks a stem with its language. Forms never contain `~`. */
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

/** Checks whether the English stem of a form may differ from the form. If so, this is also true of all its prefixes. */
export function isStemmed(form: string): boolean {
  return LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}

/**
 * Checks whether a form is a function word of the language, or of English if the language is unknown or has no list. Function words
 * are indexed, because phrases contain them, but queries ignore them unless they contain nothing else. Vietnamese words without
 * accents would match many other words, so that list is not used.
 */
export function isStopWord(form: string, language = 'en'): boolean {
  const ruleLanguage = language in FUNCTION_WORDS && language !== 'vi' ? (language as WordedLanguage) : 'en'
  const words = stopWords.get(ruleLanguage) ?? new Set(FUNCTION_WORDS[ruleLanguage].split(/\s+/).map(foldWord))
  stopWords.set(ruleLanguage, words)
  return words.has(form)
}

const stopWords = new Map<string, ReadonlySet<string>>()

/** Where forms with a given prefix are stored in the index. */
export interface PrefixPlaces {
  /** All stems from `from` up to but not including `to`, in UTF-8. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Single stems before `from`, in ascending order. They are shorter than the prefix. */
  readonly stems: readonly Uint8Array[]
}

/**
 * Returns where forms with a prefix are stored for notes in the given languages. An English stem is a prefix of the form plus one
 * of `STEM_TAILS`; any other stem is a prefix of the form. So a stem either starts with the whole prefix and is in the range, or it
 * is among the single stems.
 */
export function placesOfPrefix(prefix: string, languages: readonly string[]): PrefixPlaces {
  const from = Buffer.from(prefix)
  // This byte never occurs in UTF-8.
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
