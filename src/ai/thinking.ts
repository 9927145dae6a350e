/** A model's answer without its reasoning. */
export interface SpokenAnswer {
  readonly answer: string
  /** The text ended before the reasoning did. */
  readonly isThinking: boolean
}

const TAG = /<(\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[(\/?)THINK\]|◁(\/?)think▷/gi
/** The start of a gpt-oss channel: `<|channel|>final<|message|>`. */
const CHANNEL = /<\|channel\|>\s*(\w{1,20})[^<]{0,100}<\|message\|>/g

/**
 * Separates a model's answer from its reasoning, which is in tags, in a channel, or before a closing tag whose opening tag the server
 * dropped. A tag in code is part of the answer.
 */
export function withoutThinking(text: string): SpokenAnswer {
  const channels = [...text.matchAll(CHANNEL)]
  if (channels.length > 0) return spokenIn(text, channels)
  // Servers that strip special tokens leave the channel names.
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
  const said = text.slice(final.index + final[0].length)
  const end = said.search(/<\|(?:return|end|start|channel)\|>/)
  return { answer: end < 0 ? said : said.slice(0, end), isThinking: false }
}
