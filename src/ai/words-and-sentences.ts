import type { WordSink } from '../core/search-writer.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import { WORD as WHOLE_WORD } from '../search/words/joined-word.ts'
import { scanWords } from '../search/words/scan.ts'

export interface Word {
  /** The word after case folding, with a uniform apostrophe and without thousands separators. */
  readonly text: string
  /** The UTF-16 offset of the word. */
  readonly start: number
  readonly end: number
  /** A quote may omit only `plain` words, because the others change its meaning. */
  readonly kind: 'plain' | 'number' | 'negation'
}

/** Each Chinese or Japanese character counts as a word. */
const WORD =
  /(?<!(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])[\p{L}\p{N}])[-−+]?\d+(?:[.,:/]\d+)*|[≤≥≠±%$€£¥]|[<>](?=\s*[-−]?\d)|(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}](?:(?![\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])[\p{L}\p{N}\p{M}])*(?:['’](?=\p{L})[\p{L}\p{M}]+)*/gu

/** Negations and restrictions in English, and common ones in other languages. */
const NEGATIONS: ReadonlySet<string> = new Set(
  `no not never none nothing nobody nowhere neither nor cannot without unless except only hardly barely scarcely rarely seldom almost nearly
  fails failed lacks false nicht kein keine keinen keiner keinem nie niemals nichts niemand ohne weder nur ne pas jamais rien sans aucun aucune ni
  ningún ninguna nunca nada sin tampoco não nem nunca sem mai niente senza nessun nessuno niet geen nooit zonder inte ingen aldrig ikke aldri
  не нет никогда ничего без не ni ne nie bez nigdy 不 没 無 无 未 非 否
  لا لم لن ليس ليست ليسوا لست لسنا غير بدون دون بلا عدم بعدم لعدم ألا إلا سوى فقط أبدا أبداً أبدًا نادرا نادراً نادرًا
  ไม่ ไม่ใช่ ไม่มี ห้าม อย่า ไร้ ปราศจาก ยกเว้น เว้นแต่ เท่านั้น แทบ เกือบ มิได้ มิใช่ नहीं नही न ना मत बिना बगैर सिवाय केवल सिर्फ सिर्फ़
  نہیں نہ بغیر نیست نیستند`.split(/\s+/),
)

/** The Arabic words "and" and "so" are written as part of the next word. */
const ARABIC_PREFIX = /^[وف](?=..)/

/** Matches letters that Arabic lacks. In Urdu, `فلم` is a film. */
const URDU = /[ٹڈڑںہۂے]/

/** The word `मत` is an opinion or a vote: in Marathi always, in Hindi before a postposition or "is". */
const MARATHI = /ळ|आहे/u
const AFTER_A_NOUN = /^\s+(?:में|से|का|के|की|को|पर|ने|है|हैं|था|थे)(?![\p{L}\p{M}])/u

/** The scripts without spaces between words, which `scanWords` splits with dictionaries. */
const UNSPACED = /[\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u

const NUMBERS: ReadonlySet<string> = new Set(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty
  forty fifty sixty seventy eighty ninety hundred thousand million billion trillion half third quarter double twice triple dozen first second`.split(
    /\s+/,
  ),
)

export function wordsIn(text: string): readonly Word[] {
  const [isUrdu, isMarathi] = [URDU.test(text), MARATHI.test(text)]
  const isNoun = (word: string, end: number): boolean =>
    word === 'मत' && (isMarathi || AFTER_A_NOUN.test(text.slice(end, end + 10)))
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const words: Word[] = []
    const add = (start: number, end: number): void => {
      const folded = fold(word.slice(start, end))
      const kind = isNoun(folded, index + end) ? 'plain' : kindOf(isUrdu ? folded : folded.replace(ARABIC_PREFIX, ''))
      words.push({ text: folded, start: index + start, end: index + end, kind })
    }
    const addWhole: WordSink = (_form, kind, _position, start, end) => {
      if (kind === WHOLE_WORD) add(start, end)
    }
    if (UNSPACED.test(word)) scanWords(word, addWhole)
    else add(0, word.length)
    return words
  })
}

function fold(word: string): string {
  const letters = word.normalize('NFKC').toLowerCase().replace(/[’ʼ]/g, "'").replace('−', '-').replace(/^\+/, '')
  const plain = letters.replace(ARABIC_DIGIT, (digit) => String(digit.charCodeAt(0) & 15))
  return /^-?\d{1,3}(,\d{3})+(?!\d)/.test(plain) ? plain.replaceAll(',', '') : plain
}

/** Arabic (U+0660–0669) and Persian (U+06F0–06F9) digits. */
const ARABIC_DIGIT = /[\u0660-\u0669\u06f0-\u06f9]/g

function kindOf(word: string): Word['kind'] {
  if (/\d|^[≤≥≠±%$€£¥<>]$/.test(word) || NUMBERS.has(word)) return 'number'
  return NEGATIONS.has(word) || word.endsWith("n't") ? 'negation' : 'plain'
}

/** Replaces addresses, tags, list markers and heading markers with spaces, without changing offsets. */
export function readable(text: string): string {
  const blank = (hidden: string): string => hidden.replace(/[^\n]/g, ' ')
  return text
    .replace(/(?<=\])\((?:<[^<>\n]*>|[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)/g, blank)
    .replace(/(?<=\[\[)[^[\]|\n]+\|/g, blank)
    .replace(/<\/?[a-z][^<>\n]*>/gi, blank)
    .replace(/^[ \t>]*(?:\d{1,9}[.)]|[-*+]|#{1,6})(?=[ \t])/gm, blank)
    .replace(/\[\^[^\]\n[]{1,200}\]|(?<=[ \t])\^[\w-]{1,60}$/gm, blank)
}

export function stem(word: string): string {
  return word.length > 6 ? word.slice(0, 6) : word.length > 4 ? word.slice(0, -1) : word
}

const STOP = /[.!?…]/
const CLOSING = /["'”’»)\]*_]/
const CLOSING_CJK = /["'”’」』]/

export interface SentenceOptions {
  isOpaque?(start: number, end: number): boolean
  /** Returns true if a sentence ends even before a lowercase letter. */
  endsHere?(start: number, end: number): boolean
  endsAtBreak?(at: number): boolean
}

/**
 * Splits text into sentences, with their trailing white space, in linear time. A full stop before a lowercase letter marks an
 * abbreviation.
 */
export function splitSentences(text: string, { isOpaque, endsHere, endsAtBreak }: SentenceOptions = {}): readonly TextRange[] {
  const sentences: TextRange[] = []
  let start = 0
  const endAt = (end: number): void => {
    if (end > start) sentences.push({ start, end })
    start = end
  }
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\n') {
      if (endsAtBreak?.(at) !== false) endAt(at + 1)
      continue
    }
    const stop = isOpaque?.(at, at + 1) === true ? undefined : stopAt(text, at)
    if (stop === undefined) continue
    if (stop.isEnd || endsHere?.(at, stop.end) === true) endAt(stop.end)
    at = stop.end - 1
  }
  endAt(text.length)
  return sentences
}

function stopAt(text: string, at: number): { readonly end: number; readonly isEnd: boolean } | undefined {
  const character = text.charAt(at)
  if (/[。！？।॥؟۔]/.test(character)) return { end: spaceEnd(text, runEnd(text, at + 1, CLOSING_CJK)), isEnd: true }
  if (!STOP.test(character)) return undefined
  const sentenceEnd = runEnd(text, runEnd(text, at + 1, STOP), CLOSING)
  const end = spaceEnd(text, sentenceEnd)
  return { end, isEnd: end > sentenceEnd && /[^\p{Ll}\s]/u.test(characterAt(text, end)) }
}

function runEnd(text: string, from: number, kind: RegExp): number {
  let end = from
  while (kind.test(text.charAt(end))) end++
  return end
}

function spaceEnd(text: string, at: number): number {
  let end = at
  while (/[^\S\n]/.test(text.charAt(end))) end++
  return end
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0x61)
}
