/** Matches comments of Obsidian and HTML, which may be incomplete at the end of an excerpt. */
const HIDDEN = /%%[^%]*(?:%(?!%)[^%]*)*(?:%%|…$|$)|<!-{2}[^-]*(?:-(?!->)[^-]*)*(?:-->|…$|$)/g
/** Matches code and escaped characters, which are replaced with placeholders. */
const LITERAL = /`+([^`\n]+)`+|\\([!-/:-@[-`{}~])/g
const SLOT = /\u{E000}(\d+)\u{E000}/gu
/** Matches a code fence, a heading underline, a table delimiter row, or a thematic break. */
const RULE = /^[\s>]*(?:(?:`{3,}|~{3,}|\${2})[^`\n]*|[=\-*_|:\s]{3,})$/
const LINE_MARKS = /^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+]\s+(?:\[.\]\s+)?|\d+[.)]\s+|\[![\w-]+\][+-]?\s*)?/
/** The patterns are applied in this order. An excerpt may start or end within a link. */
const REPLACED: readonly (readonly [pattern: RegExp, by: string])[] = [
  [/!?\[\[(?:[^[\]|]*\\?\|)?([^[\]|]*)\]\]/g, '$1'],
  [/!?\[\[(?:[^[\]|]*\\?\|)?([^[\]|]*)…$/g, '$1…'],
  [/!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"\n]*")?\)/g, '$1'],
  [/!?\[([^[\]]*)\]\([^()\s]*…$/, '$1…'],
  [/^…[^\s()[\]]*[/.][^\s()[\]]*\)/, '…'],
  // These patterns match reference links, footnotes, HTML tags, and autolinks.
  [/\[([^[\]]+)\]\[[^[\]]*\]/g, '$1'],
  [/\[\^[^[\]\s]+\]/g, ''],
  [/<\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>/gi, ''],
  [/<((?:https?|mailto):[^<>\s]+)>/gi, '$1'],
]
const STRONG = /(\*{1,3}|~~|==)(?=\S)([^*~=\n]+)(?<=\S)\1/g
const UNDERLINED = /(?<!\w)(_{1,3})(?=\S)([^_\n]+)(?<=\S)\1(?!\w)/g

export function plainText(markdown: string): string {
  const literals: string[] = []
  const text = markdown.replace(LITERAL, (_, code = '', escaped = '') => `\u{E000}${literals.push(code + escaped) - 1}\u{E000}`)
  const shown = afterCutComment(text).replace(HIDDEN, (found) => (found.endsWith('…') ? '…' : ''))
  const plain = shown.split('\n').map(plainLine).join(' ').replace(/\s+/g, ' ').trim()
  return plain.replace(SLOT, (_, at) => literals[Number(at)] ?? '')
}

/** Returns the text after a comment that begins before the excerpt. */
function afterCutComment(text: string): string {
  const marks = text.split('%%').length - 1
  return text.startsWith('…') && marks % 2 === 1 ? `…${text.slice(text.indexOf('%%') + 2)}` : text
}

function plainLine(line: string): string {
  if (RULE.test(line)) return ''
  let plain = line.replace(LINE_MARKS, '').replace(LINE_MARKS, '')
  for (const [pattern, by] of REPLACED) plain = plain.replace(pattern, by)
  // The loop is necessary, because markup can be nested.
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(STRONG, '$2').replace(UNDERLINED, '$2')
  }
  plain = plain.replace(/\s\^[\w-]+$/, '')
  const cells = plain.split('|').map((cell) => cell.trim())
  return plain.startsWith('|') ? cells.filter(Boolean).join(' · ') : plain
}
