import { wholeCharacterEnd } from '../core/text/graphemes.ts'

export interface SpokenAnswer {
  readonly answer: string
  /** True if the text ended during the reasoning. */
  readonly isThinking: boolean
}

const TAG = /<(\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[(\/?)THINK\]|◁(\/?)think▷/gi

/** Matches the start of a gpt-oss channel, such as `<|channel|>final<|message|>`. */
const CHANNEL = /<\|channel\|>\s*(\w{1,20})[^<]{0,100}<\|message\|>/g

/**
 * Separates a model's answer from its reasoning. Reasoning is enclosed in tags or in a channel, or precedes a closing tag if the
 * server dropped the opening tag. Tags in code are part of the answer.
 */
export function withoutThinking(text: string): SpokenAnswer {
  const channels = [...text.matchAll(CHANNEL)]
  if (channels.length > 0) return spokenIn(text, channels)
  // Servers that remove special tokens leave only the channel names.
  const final = text.startsWith('analysis') ? text.indexOf('assistantfinal') : -1
  if (final >= 0) return { answer: text.slice(final + 'assistantfinal'.length), isThinking: false }
  let answer = ''
  let from = 0
  let isThinking = false
  for (const { 0: tag, 1: slash, 2: slash2, 3: slash3, index } of text.matchAll(TAG)) {
    if (text.charAt(index - 1) === '`') continue
    const isEnd = (slash ?? slash2 ?? slash3) === '/'
    if (isEnd) answer = isThinking ? answer : ''
    else if (!isThinking) answer += text.slice(from, index)
    isThinking = !isEnd
    from = index + tag.length
  }
  return { answer: isThinking ? answer : answer + text.slice(from), isThinking }
}

function spokenIn(text: string, channels: readonly RegExpExecArray[]): SpokenAnswer {
  const final = channels.findLast(([, name]) => name === 'final')
  if (final === undefined) return { answer: '', isThinking: true }
  const finalText = text.slice(final.index + final[0].length)
  const end = finalText.search(/<\|(?:return|end|start|channel)\|>/)
  return { answer: end < 0 ? finalText : finalText.slice(0, end), isThinking: false }
}

/**
 * Text with this many repetitions, and this total length in UTF-16 units, counts as endless. Small models that repeat themselves
 * this often never stop.
 */
const MIN_TIMES = 8

const MIN_LENGTH = 300

/** Number of UTF-16 units to check at the end of the text. The repeated part is at most an eighth as long. */
const TAIL = 2_400

/**
 * Detects text that repeats itself at its end. Returns the end of the first repetition, or `undefined` if there is none. Finds the
 * shortest period of each suffix with the prefix function of Knuth, Morris and Pratt (1977), applied to the reversed text. Runs in
 * linear time.
 */
export function findRepeats(text: string): number | undefined {
  const length = Math.min(text.length, TAIL)
  const unitAt = (at: number): number => text.charCodeAt(text.length - 1 - at)
  const borders = new Uint16Array(length)
  let longest: { readonly length: number; readonly period: number } | undefined
  for (let at = 1, border = 0; at < length; at++) {
    while (border > 0 && unitAt(at) !== unitAt(border)) border = borders[border - 1] as number
    if (unitAt(at) === unitAt(border)) border++
    borders[at] = border
    const period = at + 1 - border
    if (at + 1 >= Math.max(MIN_LENGTH, MIN_TIMES * period)) longest = { length: at + 1, period }
  }
  if (longest === undefined) return undefined
  return wholeCharacterEnd(text, text.length - longest.length + longest.period)
}
