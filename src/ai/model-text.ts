import { wholeCharacterEnd } from '../core/text/graphemes.ts'

export interface VisibleAnswer {
  readonly answer: string
  readonly isThinking: boolean
}

const TAG = /<(\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[(\/?)THINK\]|◁(\/?)think▷/gi

/** Matches the start of a gpt-oss channel, such as `<|channel|>final<|message|>`. */
const CHANNEL = /<\|channel\|>\s*(\w{1,20})[^<]{0,100}<\|message\|>/g

/** Strips the reasoning, which is enclosed in tags or in a channel. The opening tag may be missing. Tags in code are ignored. */
export function withoutThinking(text: string): VisibleAnswer {
  const channels = [...text.matchAll(CHANNEL)]
  if (channels.length > 0) return visibleAnswerIn(text, channels)
  // Some servers remove special tokens but keep the channel names.
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

function visibleAnswerIn(text: string, channels: readonly RegExpExecArray[]): VisibleAnswer {
  const final = channels.findLast(([, name]) => name === 'final')
  if (final === undefined) return { answer: '', isThinking: true }
  const finalText = text.slice(final.index + final[0].length)
  const end = finalText.search(/<\|(?:return|end|start|channel)\|>/)
  return { answer: end < 0 ? finalText : finalText.slice(0, end), isThinking: false }
}

/** A small model that repeats a text this often does not recover. */
const MIN_TIMES = 8

const MIN_LENGTH = 300

/** The length of the text that is checked for repetition, in UTF-16 code units. */
const TAIL = 2_400

/**
 * Returns the end of the first repetition, in linear time. The function runs the prefix function of Knuth, Morris and Pratt
 * (1977) on the reversed text.
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
