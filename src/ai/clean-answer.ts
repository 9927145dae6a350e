import { visible } from './neutralise.ts'

/** An answer without anything that leads out of it. */
export interface CleanAnswer {
  readonly text: string
  /** Links, pictures, addresses and pieces of HTML that were taken away. */
  readonly removed: number
}

/** Of character references: what can begin or be part of an address, a link or a tag. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  lpar: '(',
  rpar: ')',
  lbrack: '[',
  lsqb: '[',
  rbrack: ']',
  rsqb: ']',
  excl: '!',
  commat: '@',
  num: '#',
  quest: '?',
  equals: '=',
  Tab: ' ',
  NewLine: '\n',
  nbsp: ' ',
  lowbar: '_',
  hyphen: '-',
}

/** Top-level domains that programs which make links of bare names know, and that are hardly ends of file names. */
const DOMAIN =
  /(?<![\p{L}\p{N}_-])(?:[\p{L}\p{N}][\p{L}\p{N}_-]{0,62}\.){1,8}(?:com|net|org|io|dev|app|ai|co|me|info|biz|xyz|edu|gov|mil|int|eu|uk|de|fr|ru|cn|jp|in|us|ca|au|nl|se|no|it|es|ch|at|be|pl|br|tv|cc|to|gg|ly|site|online|top|club|shop|live|link|click|page|cloud|tech|store|zip|mov|local|onion|test|example)(?![\p{L}\p{N}_-])(?::\d+)?(?:[/?#][^\s<>"'`]*)?/giu

const RULES: readonly (readonly [RegExp, string])[] = [
  // What HTML hides, then its tags, whole or begun: their text stays.
  [/<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g, ''],
  [/<(script|style|iframe|object|svg|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ''],
  [/<[/!?]?[a-z][^<>]*(?:>|$)/gi, ''],
  [/<(?=[/!?a-z])/gi, ''],
  // Pictures go whole, links leave their text.
  [/!\[\[[^[\]]{0,999}\]\]?/g, ''],
  [/!\[[^[\]]{0,999}\](?:\([^()]{0,999}(?:\([^()]{0,999}\)[^()]{0,999}){0,9}\)?|\[[^[\]]{0,999}\])?/g, ''],
  [/\[\[(?:[^[\]|]{0,999}\|)?([^[\]|]{0,999})\]\]/g, '$1'],
  [/^[ \t>]*\[[^[\]]{1,999}\]:.*$/gm, ''],
  [/\[(?!\s*S\s*\d)([^[\]]{0,999})\]\([^()]{0,999}(?:\([^()]{0,999}\)[^()]{0,999}){0,9}\)?/g, '$1'],
  [/\[(?!\s*S\s*\d)([^[\]]{0,999})\]\[(?!\s*S\s*\d)[^[\]]{0,999}\]/g, '$1'],
  // Addresses of any kind.
  [/(?:[a-z][a-z0-9+.-]{0,30}:\/\/|https?\s?:(?=\S))[^\s<>"'`]*/gi, ''],
  [
    /\b(?:data|javascript|vbscript|obsidian|file|mailto|tel|sms|blob|about|intent|view-source|xmpp|magnet|ftp|https?|wss?|vscode|slack|zotero|roux)\s?:(?=\S)[^\s<>"'`]*/gi,
    '',
  ],
  [/(?<![:\w])[/\\]{2}(?=[\w[])[^\s<>"'`]*/g, ''],
  [/www\.[^\s<>"'`]*/gi, ''],
  [/[^\s<>()[\]"'`,;@]{0,64}@[^\s<>()[\]"'`,;@]{0,255}\.[^\s<>()[\]"'`,;@]+/g, ''],
  [DOMAIN, ''],
]

/** What taking something away may make of what stood around it is taken away, too. */
const MOST_ROUNDS = 20
/** A longer answer is cut before it is looked at. */
const MOST_CHARACTERS = 100_000

/**
 * An answer of a model as plain Markdown: pictures, HTML, links of every form, addresses and what programs make links of are gone. Markers such
 * as `[S1]` stay as they are.
 */
export function cleanAnswer(answer: string): CleanAnswer {
  let text = withoutThinking(visible(decoded(visible(answer)))).slice(0, MOST_CHARACTERS)
  let removed = 0
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = text
    text = decoded(text)
    for (const [pattern, instead] of RULES) {
      text = text.replace(pattern, (...found: readonly unknown[]) => {
        removed++
        return instead === '$1' ? String(found[1] ?? '') : instead
      })
    }
    if (text === before) return { text: disarmed(text), removed }
  }
  // Whoever nests so deep says nothing else.
  return { text: '', removed }
}

/** Models that think aloud put it in front. */
function withoutThinking(text: string): string {
  return text.replace(/^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i, '')
}

/** Character references, and signs of addresses behind a backslash, as what they stand for: programs see that. */
function decoded(text: string): string {
  return text
    .replace(/\\(?=[.:/@])/g, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? visible(String.fromCodePoint(code)) : ''
    })
}

/** What is left of brackets makes no link with what we put beside it. */
function disarmed(text: string): string {
  return text
    .replace(/\](?=[(:]|\[(?!\s*S\s*\d))/gi, '] ')
    .replace(/!(?=\[)/g, '! ')
    .replace(/[<>](?=\S)/g, (sign) => `${sign} `)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
