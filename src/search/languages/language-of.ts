import { FUNCTION_WORDS, type WordedLanguage } from './function-words.ts'
import { ONLY_LANGUAGE, SCRIPTS, type Script, scriptAt } from './scripts.ts'

export interface Language {
  /** The script of the text. `Kana` stands for Japanese, `Han` for Chinese. */
  readonly script: Script
  /** The language in ISO 639-1, or `undefined` if the evidence is insufficient. */
  readonly code: string | undefined
}

const SAMPLE = 4_000

/** Reading stops at this much evidence if one language is clearly ahead. */
const ENOUGH_WORDS = 12

/** Required ratio of the evidence for the best language and the next one. */
const CLEAR_RATIO = 1.3

/** A sufficient lead in evidence. Related languages share most function words, so their ratio is small. */
const LEAD = 1.5

/** The minimum evidence. An unambiguous function word counts as 1. */
const MIN_SCORE = 0.45

const MIN_SHARE = 0.02

/** The weight of a letter, relative to a function word's weight of 1. */
const LETTER_WEIGHT = 0.4

/** The threshold is low, because text in other scripts often contains Latin names and code. */
const OTHER_SCRIPT = 0.3

/** Minimum number of kana per Han character in Japanese. */
const KANA_SHARE = 0.1

/** No function word is longer. */
const MAX_WORD_LENGTH = 13

const LETTERS: Readonly<Partial<Record<WordedLanguage, string>>> = {
  ca: 'àèéíïòóúüç',
  cs: 'áčďéěíňóřšťúůýž',
  da: 'æøå',
  de: 'äöüß',
  es: 'áéíñóúü',
  et: 'äõöüšž',
  fi: 'äö',
  fr: 'àâçèéêëîïôùûœ',
  hr: 'čćđšž',
  hu: 'áéíóöőúüű',
  it: 'àèéìòù',
  lt: 'ąčęėįšųūž',
  lv: 'āčēģīķļņšūž',
  nl: 'ëïé',
  no: 'æøå',
  pl: 'ąćęłńóśźż',
  pt: 'àáâãçéêíóôõú',
  ro: 'ăâîșțşţ',
  sk: 'áäčďéíĺľňóôŕšťúýž',
  sl: 'čšž',
  sv: 'åäö',
  tr: 'çğıöşü',
  vi: 'àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ',
  bg: 'ъщ',
  ru: 'ыэёъ',
  sr: 'ђјљњћџ',
  uk: 'іїєґ',
  fa: 'پچژگکی',
  ur: 'ٹڈڑےںھپچگکی',
  ar: 'ةكيىأإ',
}

interface Evidence {
  readonly languages: readonly number[]
  readonly weight: number
}

const CODES = Object.keys(FUNCTION_WORDS) as WordedLanguage[]

const NUMBERS = [...CODES.keys()]

const LATIN = SCRIPTS.indexOf('Latin') + 1
const HAN = SCRIPTS.indexOf('Han') + 1
const KANA = SCRIPTS.indexOf('Kana') + 1

interface Tables {
  readonly words: ReadonlyMap<string, Evidence>
  /** The value is 1 at the hash of each ASCII function word. Looking up every word would take twice as long. */
  readonly hashes: Uint8Array
  readonly letters: ReadonlyMap<number, Evidence>
}

let tables: Tables | undefined

/**
 * Detects the script, and then the language by function words and rare letters. Only the start of a long text is read.
 * @param candidates languages to consider
 * @returns undefined if the text contains no letters
 */
export function languageOf(text: string, candidates: readonly string[] = []): Language | undefined {
  const sample = text.length > SAMPLE ? text.slice(0, SAMPLE) : text
  // The text is normalized, because some systems write é as e with a combining accent.
  reader.read(ACCENT.test(sample) ? sample.normalize('NFC') : sample)
  const script = reader.script()
  return script && { script, code: codeOf(script, candidates) }
}

export function scriptOfLanguage(code: string): Script | undefined {
  const at = (CODES as readonly string[]).indexOf(code)
  return at === -1 ? SCRIPTS.find((script) => ONLY_LANGUAGE[script] === code) : scriptOf(at)
}

/** Compares scripts if the language is unknown. */
export function isSameLanguage({ script, code: languageCode }: Language, code: string): boolean {
  return languageCode === undefined ? scriptOfLanguage(code) === script : languageCode === code
}

/** The minimum share of notes in a language. A language with fewer notes was probably misdetected. */
const MIN_USE = 0.01

export function languagesInUse(notes: ReadonlyMap<string, number>): readonly string[] {
  const all = [...notes.values()].reduce((sum, count) => sum + count, 0)
  return [...notes].flatMap(([code, count]) => (count >= MIN_USE * all ? [code] : []))
}

const ACCENT = /[\u0300-\u036f]/

function codeOf(script: Script, candidates: readonly string[]): string | undefined {
  const only = ONLY_LANGUAGE[script]
  if (only !== undefined) return candidates.length === 0 || candidates.includes(only) ? only : undefined
  if (candidates.length === 0) return reader.clearest(numbersOf(script))
  const languages = numbersAmong(script, candidates)
  return languages.length === 1 ? CODES[languages[0] as number] : reader.clearest(languages)
}

const selected = new WeakMap<readonly string[], Map<Script, readonly number[]>>()

function numbersAmong(script: Script, candidates: readonly string[]): readonly number[] {
  const numbersByScript = selected.get(candidates) ?? new Map<Script, readonly number[]>()
  selected.set(candidates, numbersByScript)
  const numbers = numbersByScript.get(script) ?? numbersOf(script).filter((at) => candidates.includes(CODES[at] as string))
  numbersByScript.set(script, numbers)
  return numbers
}

function numbersOf(script: Script): readonly number[] {
  return NUMBERS_OF.get(script) ?? []
}

function scriptOf(language: number): Script | undefined {
  return SCRIPTS[scriptAt(FUNCTION_WORDS[CODES[language] as WordedLanguage].charCodeAt(0)) - 1]
}

const NUMBERS_OF: ReadonlyMap<Script, readonly number[]> = new Map(
  SCRIPTS.map((script) => [script, NUMBERS.filter((at) => scriptOf(at) === script)]),
)

class Reader {
  readonly #letters = new Uint32Array(SCRIPTS.length + 1)
  readonly #scores = new Float64Array(CODES.length)
  #words = 0
  #evidence = 0

  read(text: string): void {
    this.#letters.fill(0)
    this.#scores.fill(0)
    this.#words = 0
    this.#evidence = 0
    tables ??= makeTables()
    for (let at = 0; at < text.length; at++) {
      if (scriptAt(text.charCodeAt(at)) === 0) continue
      at = this.#readWord(text, at, tables)
      if (this.#evidence > ENOUGH_WORDS && this.clearest(NUMBERS) !== undefined) break
    }
  }

  #readWord(text: string, start: number, { words, hashes, letters }: Tables): number {
    let isLower = true
    let isAscii = true
    let hash = 0
    let at = start
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const script = scriptAt(unit)
      if (script === 0) break
      this.#letters[script] = (this.#letters[script] as number) + 1
      hash = nextHash(hash, unit)
      if (unit < 128) isLower &&= unit >= 97
      else {
        isLower = false
        isAscii = false
        this.#add(letters.get(unit))
      }
    }
    this.#words++
    if (at - start > MAX_WORD_LENGTH || (isAscii && hashes[hash] === 0)) return at
    const word = text.slice(start, at)
    this.#add(words.get(isLower ? word : word.toLowerCase()))
    return at
  }

  #add(evidence: Evidence | undefined): void {
    if (evidence === undefined) return
    for (const language of evidence.languages) this.#scores[language] = (this.#scores[language] as number) + evidence.weight
    this.#evidence += evidence.weight
  }

  script(): Script | undefined {
    let max = 0
    let all = 0
    for (let script = 0; script < this.#letters.length; script++) {
      const count = this.#letters[script] as number
      all += count
      if (script !== LATIN && count > (this.#letters[max] as number)) max = script
    }
    if (all === 0) return undefined
    const han = this.#letters[HAN] as number
    const kana = this.#letters[KANA] as number
    // A small share of kana is enough for Japanese, because most Japanese words contain Han characters.
    if (han + kana > OTHER_SCRIPT * all) return kana > KANA_SHARE * han ? 'Kana' : 'Han'
    return SCRIPTS[((this.#letters[max] as number) > OTHER_SCRIPT * all ? max : LATIN) - 1]
  }

  clearest(languages: readonly number[]): string | undefined {
    let best = -1
    let max = 0
    let next = 0
    for (const language of languages) {
      const score = this.#scores[language] as number
      if (score > max) {
        next = max
        max = score
        best = language
      } else if (score > next) next = score
    }
    return max >= Math.max(MIN_SCORE, MIN_SHARE * this.#words) && (max > CLEAR_RATIO * next || max > next + LEAD)
      ? CODES[best]
      : undefined
  }
}

const reader = new Reader()

const HASHES = 1 << 14

function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + (unit | 32)) & (HASHES - 1)
}

function makeTables(): Tables {
  const words = Object.fromEntries(CODES.map((code) => [code, FUNCTION_WORDS[code].split(/\s+/)]))
  const letters = Object.fromEntries(
    CODES.map((code) => [code, [...(LETTERS[code] ?? '')].map((letter) => letter.charCodeAt(0))]),
  )
  const capitals = Object.fromEntries(
    CODES.map((code) => [code, [...(LETTERS[code]?.toUpperCase() ?? '')].map((letter) => letter.charCodeAt(0))]),
  )
  const hashes = new Uint8Array(HASHES)
  for (const word of Object.values(words).flat()) {
    let hash = 0
    for (let at = 0; at < word.length; at++) hash = nextHash(hash, word.charCodeAt(at))
    hashes[hash] = 1
  }
  return {
    words: evidenceOf(words, 1),
    hashes,
    letters: new Map([...evidenceOf(capitals, LETTER_WEIGHT), ...evidenceOf(letters, LETTER_WEIGHT)]),
  }
}

/** Returns the evidence of each word or letter. It counts less the more languages have it. */
function evidenceOf<T>(features: Readonly<Record<string, readonly T[]>>, weight: number): Map<T, Evidence> {
  const languages = new Map<T, Set<number>>()
  for (const [code, featuresOfLanguage] of Object.entries(features)) {
    const language = CODES.indexOf(code as WordedLanguage)
    for (const feature of featuresOfLanguage) languages.set(feature, (languages.get(feature) ?? new Set()).add(language))
  }
  return new Map([...languages].map(([feature, having]) => [feature, { languages: [...having], weight: weight / having.size }]))
}
