/** What a model said, without what it said to itself. */
export interface SpokenAnswer {
  readonly answer: string
  /** It was still thinking when it ended. */
  readonly isThinking: boolean
}

const TAG = /<(\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning)>|\[(\/?)THINK\]|◁(\/?)think▷/gi
/** How gpt-oss begins what it says: `<|channel|>final<|message|>`. */
const CHANNEL = /<\|channel\|>\s*(\w{1,20})[^<]{0,100}<\|message\|>/g

/**
 * What a model answers after it thought aloud: between tags, before a closing tag whose opening one its server left out, or in a channel
 * of its own. A tag in code is a part of the answer.
 */
export function withoutThinking(text: string): SpokenAnswer {
  const channels = [...text.matchAll(CHANNEL)]
  if (channels.length > 0) return spokenIn(text, channels)
  // Servers that leave out the special words leave these.
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
