/** Characters that no one sees: zero width, direction, tags, soft hyphens, and control characters but for tab and line feed. */
const INVISIBLE = /\u034f|[\p{Cf}\u{e0000}-\u{e0fff}\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufff0-\uffff]|(?![\t\n])\p{Cc}/gu

/** Words between angle brackets that models are taught to read as the turns of a conversation. */
const TURNS =
  /<(?=\/?(?:s|bos|eos|pad|unk|think|thinking|system|user|assistant|human|tool_call|tool_response|function|start_of_turn|end_of_turn|turn|sys)\b)/gi

/** A text as it is shown: without characters that are there to be overlooked. */
export function visible(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n').replace(INVISIBLE, '')
}

/**
 * A text from a note, or anything else that is data, for a prompt: nothing in it looks like a marker of a passage, the turn of a conversation
 * or the boundary that it stands in. What it says stays.
 */
export function neutralise(text: string): string {
  return visible(text)
    .replace(/[[【［]\s*([SＳ])\s*(\d[^\]】］\n]{0,40})[\]】］]/gi, '($1$2)')
    .replace(/<(?=\s*[|｜])/g, '‹')
    .replace(/([|｜]\s*)>/g, '$1›')
    .replace(/<(?=<\s*\/?\s*SYS)/gi, ' ')
    .replace(/(SYS\s*>)>/gi, '$1 ')
    .replace(TURNS, '‹')
    .replace(/\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|B_INST|E_INST)\])/gi, '( ')
    .replace(/={5,}/g, '====')
}
