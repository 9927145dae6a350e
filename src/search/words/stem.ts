import { stemmer } from 'stemmer'
import type { WordTerm } from '../../core/query.ts'
import { FUNCTION_WORDS, type WordedLanguage } from '../languages/function-words.ts'
import { scriptAt } from '../languages/scripts.ts'
import { foldWord, ownCopy } from './fold-word.ts'

const MEMO = 50_000

const ASCII_LETTERS = /^[a-z]+$/

/**
 * An English stem is a prefix of the form plus one of these tails (`happy` → `happ·i`, `ability` → `ab·l`), so a prefix lookup
 * can find the stem of every form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/**
 * Returns the stem of a word. The endings of the language are removed, if there are any, and the stem is marked with the
 * language. Other words get an English stem (M. F. Porter, An algorithm for suffix stripping, 1980).
 */
export function stemOf(form: string, language?: string): string {
  const languageStem = language === undefined ? undefined : withoutEndings(form, language)
  return languageStem === undefined ? englishStem(form) : withLanguage(languageStem, language as string)
}

export function stemsOf(form: string, languages: readonly string[]): readonly string[] {
  return [...new Set([englishStem(form), ...languages.map((language) => stemOf(form, language))])]
}

/** Marks a stem with its language after a `~`, which forms never contain. */
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

export function forgetStems(): void {
  memo.clear()
}

/** Checks whether the English stem may differ from the form. This is also true for all prefixes of such a form. */
export function isStemmed(form: string): boolean {
  return ASCII_LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}

/**
 * Checks whether a form is a function word. Queries ignore function words unless they contain no other words. The Vietnamese list
 * is not used, because its words without accents would match many other words.
 */
export function isStopWord(form: string, language = 'en'): boolean {
  const ruleLanguage = language in FUNCTION_WORDS && language !== 'vi' ? (language as WordedLanguage) : 'en'
  const words = stopWords.get(ruleLanguage) ?? new Set(FUNCTION_WORDS[ruleLanguage].split(/\s+/).map(foldWord))
  stopWords.set(ruleLanguage, words)
  return words.has(form)
}

const stopWords = new Map<string, ReadonlySet<string>>()

export interface PrefixPlaces {
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** The stems that are shorter than the prefix, in ascending order. */
  readonly stems: readonly Uint8Array[]
}

/**
 * Returns the places of all stems of a prefix. An English stem is a prefix of the form plus one of `STEM_TAILS`, and any other
 * stem is a prefix of the form. A stem either starts with the whole prefix and is in the range, or is among the single stems.
 */
export function placesOfPrefix(prefix: string, languages: readonly string[]): PrefixPlaces {
  const from = Buffer.from(prefix)
  // The end of the range is a byte that never occurs in UTF-8.
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
 * The inflectional endings of folded words. The longest matching ending of each row is removed. Other languages gain nothing from
 * such rows.
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

/** The minimum length in letters. */
const MIN_STEM_LENGTH = 4

/** The minimum length of a stem in languages whose double letters and long endings would leave too little of shorter words. */
const MIN_STEM_LENGTH_OF: Readonly<Record<string, number>> = { fi: 5, nl: 5 }

const LETTERS = /^\p{L}+$/u

interface Remover {
  readonly script: number
  readonly shortest: number
  readonly rows: readonly (readonly string[])[]
}

const removers = new Map<string, Remover | undefined>()

/** @returns a prefix of the word, or `undefined` if the language has no endings or the word is in another script */
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
