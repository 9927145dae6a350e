import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { FUNCTION_WORDS, type WordedLanguage } from '../languages/function-words.ts'
import { scriptAt } from '../languages/scripts.ts'
import { foldWord, ownCopy } from './fold-word.ts'

/** Maximum number of cached stems, before the cache is cleared. */
const MEMO = 50_000

const ASCII_LETTERS = /^[a-z]+$/

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
  return ASCII_LETTERS.test(form)
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

const SLAVIC = [
  'ami ach owi ovi ove ow ov om um ou em ech ich ych im ym imi ymi ego eho iho emu imu ej ie ia iem iach emi mi ata aty y a e i o u',
]

const SCANDINAVIAN = ['erne ernes erens eren ers ens ets ene er en et es e s']

/**
 * Inflectional endings of folded words, by language. From each row, the longest ending that fits is removed. For other languages,
 * results with such rows are no better, or worse than with the English rules.
 */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  cs: SLAVIC,
  pl: SLAVIC,
  sk: SLAVIC,
  da: SCANDINAVIAN,
  no: SCANDINAVIAN,
  sv: ['arna erna orna ernas arnas ens ets ar er or en et a e s n t'],
  de: ['ern em er en es e s n nen innen'],
  nl: ['eren en e s es t'],
  es: ['amos aron ieron ando iendo ado ada ados adas ido ida idos idas ar er ir cion ciones mente es os as o a e s'],
  it: ['i e o a ie he hi'],
  ro: ['ului ilor iilor elor ul le lor ele ii uri urile urilor ile', 'a e i u ea ei'],
  el: ['ματα ματοσ ματων ουσ ου οι ων εσ ησ οσ ασ εισ εων η α ο ε ι υ ω ν'],
  fi: ['ssa sta lla lta lle ksi tta ta n t a seen iin den tten ien jen en in an', 'i j a e o u s'],
  hu: [
    'ban ben ba be bol nak nek val vel hoz hez ert ig kor on en ra re rol tol nal nel at et ot t ak ek ok k',
    'ai ei jai jei ja je a e i ak ek ok k jat jet',
    'a e i o',
  ],
  ru: [
    'иями ями ами ией ием иям ям ам иях ях ах ов ев ей ой ий ый ое ее ие ые ого его ому ему ым им ых их ую юю ая яя ою ею ом ем ия ью ию ии и ы ь ю у о е а я ть ет ют ите йте',
    'и а я е ь',
  ],
  uk: [
    'ями ами ією ям ам ях ах ів їв ей ой ий ій ої ого ього ому ьому им їх ими ою ею єю ом ем єм ів ія ію ії ї і и ь ю у о й е є а я',
  ],
  tr: [
    'larindan lerinden larinin lerinin larinda lerinde larini lerini larina lerine larin lerin lari leri lar ler ndan nden dan den tan ten nda nde da de ta te nin nun in un ni nu i u yi yu ya ye na ne a e si su sini sina sinin imi iniz iz',
  ],
}

/** Minimum number of letters in a stem. */
const MIN_STEM_LENGTH = 4

/** In these languages, double letters and long endings would leave too little of shorter words. */
const MIN_STEM_LENGTH_OF: Readonly<Record<string, number>> = { fi: 5, nl: 5 }

const LETTERS = /^\p{L}+$/u

interface Remover {
  readonly script: number
  readonly shortest: number
  readonly rows: readonly (readonly string[])[]
}

const removers = new Map<string, Remover | undefined>()

/**
 * Removes a language's endings from a folded word. Returns `undefined` if there are no endings for the language, or if the word is
 * in another script. The result is a prefix of the word.
 */
export function withoutEndings(form: string, language: string): string | undefined {
  const remover = removerOf(language)
  if (remover === undefined || !fits(form, remover)) return undefined
  let end = form.length
  for (const row of remover.rows) {
    const ending = row.find((each) => end - each.length >= remover.shortest && form.startsWith(each, end - each.length))
    if (ending !== undefined) end -= ending.length
  }
  return form.slice(0, end)
}

/** Returns the stems shorter than the prefix that words with this prefix may have. */
function shorterStems(beginning: string, language: string): readonly string[] {
  const remover = removerOf(language)
  if (remover === undefined || !fits(beginning, remover)) return []
  const lengths = Math.max(0, beginning.length - remover.shortest)
  return Array.from({ length: lengths }, (_, at) => beginning.slice(0, remover.shortest + at))
}

function fits(form: string, { script }: Remover): boolean {
  return scriptAt(form.charCodeAt(0)) === script && LETTERS.test(form)
}

function removerOf(language: string): Remover | undefined {
  if (!removers.has(language)) removers.set(language, newRemover(language))
  return removers.get(language)
}

function newRemover(language: string): Remover | undefined {
  const rows = ENDINGS[language]?.map((row) => row.split(' ').sort((a, b) => b.length - a.length))
  const first = rows?.[0]?.[0]
  if (rows === undefined || first === undefined) return undefined
  return { script: scriptAt(first.charCodeAt(0)), shortest: MIN_STEM_LENGTH_OF[language] ?? MIN_STEM_LENGTH, rows }
}
