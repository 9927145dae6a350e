/** Matches zero-width characters, direction marks, tags, soft hyphens and control characters, except tab and line feed. */
const INVISIBLE = /\u034f|[\p{Cf}\u{e0000}-\u{e0fff}\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufff0-\uffff]|(?![\t\n])\p{Cc}/gu

/** Special tokens that separate conversation turns. */
const TURNS =
  /<(?=\/?(?:s|bos|eos|pad|unk|think|thinking|system|user|assistant|human|function|turn|sys|image|mask|sep|cls|unused\d*|(?:start_of|end_of|tool|function|fim|image|im|extra_id|reserved)_\w+)\b)/gi

export function visible(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n').replace(INVISIBLE, '')
}

/** Converts full-width characters to ASCII, as some programs do. */
export function narrow(text: string): string {
  return text.replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
}

/** Escapes passage markers, conversation turns and boundaries in untrusted text. */
export function neutralize(text: string): string {
  return visible(text)
    .replace(/[[【［]\s{0,20}([SＳ])\s{0,20}(\p{Nd}[^\]】］\n]{0,40})[\]】］]/giu, '($1$2)')
    .replace(/<(?=\s*[|｜])/g, '‹')
    .replace(/([|｜]\s*)>/g, '$1›')
    .replace(/<(?=<\s{0,20}\/?\s{0,20}SYS)/gi, ' ')
    .replace(/(SYS\s*>)>/gi, '$1 ')
    .replace(TURNS, '‹')
    .replace(/\[(?=\/?(?:INST|[BE]_INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]+|THINK|IMG(?:_[A-Z]+)?|gMASK)\])/gi, '( ')
    .replace(/={5,}/g, '====')
}
