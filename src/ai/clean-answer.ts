import { codeIn } from '../markdown/code.ts'
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
const ENDINGS = 'com|net|org|io|dev|ai|co|biz|xyz|edu|gov|mil|eu|uk|de|fr|ru|cn|jp|us|ca|au|nl|ch|pl|br|tv|cc|ly|onion|example'
/** Of these, what code calls its own parts: `file.link`, `page.click`. */
const WORDS_OF_CODE =
  'app|me|info|int|in|se|no|it|es|at|be|to|gg|site|online|top|club|shop|live|link|click|page|cloud|tech|store|zip|mov|local|test|' +
  'pro|xxx|aero|asia|coop|museum|рф|su|ua|kr|mx|nz|dk|fi|cz|gr|pt|ie|il|tr|ir|hk|sg|tw|vn|hu|sk|bg|lt|lv|ee|hr|ro|lu|pe|cl|ae|ke|kz|ws|nu|gl|fm|pw|tk|gq'

function domain(endings: string, after: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\p{N}_-])(?:[\\p{L}\\p{N}][\\p{L}\\p{N}_-]{0,62}\\.){1,8}(?:${endings})(?![\\p{L}\\p{N}_${after}-])(?::\\d+)?(?:[/?#][^\\s<>"'\`]*)?`,
    'giu',
  )
}

type Rule = readonly [RegExp, string]

/** What follows a name that no ending gives away, and holds what could be told to whoever has that name. */
const ASKED =
  /(?<![\p{L}\p{N}_-])(?:[\p{L}\p{N}][\p{L}\p{N}_-]{0,62}\.){1,8}\p{L}{2,24}(?::\d{1,5})?(?:\/[^\s<>"'`?]{0,500})?\?[^\s<>"'`=]{0,200}=[^\s<>"'`]*/giu
/** A number of a computer with a path; `10.0.0.0/8` is none. */
const NUMBERED = /(?<![\p{L}\p{N}_.-])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?[/?#](?!\d{1,2}(?![\w/?#]))[^\s<>"'`]*/gu

/** Addresses that are addresses wherever they stand. */
const ADDRESSES: readonly Rule[] = [
  [/(?:[a-z][a-z0-9+.-]{0,30}:\/\/|https?\s?:(?=\S))[^\s<>"'`]*/gi, ''],
  [
    /\b(?:data|javascript|vbscript|obsidian|file|mailto|tel|sms|blob|about|intent|view-source|xmpp|magnet|ftp|https?|wss?|vscode|slack|zotero|roux)\s?:(?=\S)[^\s<>"'`]*/gi,
    '',
  ],
  [/www\.[^\s<>"'`]*/gi, ''],
]

const RULES: readonly Rule[] = [
  // What HTML hides, then its tags, whole or begun: their text stays.
  [/<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g, ''],
  [/<(script|style|iframe|object|svg|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ''],
  [/<[/!?]?[a-z][^<>]*(?:>|$)/gi, ''],
  [/<(?=[/!?a-z])/gi, ''],
  // Pictures go whole, links leave their text, unless that is a number as our own citations have.
  [/!\[\[[^[\]]{0,999}\]\]?/g, ''],
  [/!\[[^[\]]{0,999}\](?:\([^()]{0,999}(?:\([^()]{0,999}\)[^()]{0,999}){0,9}\)?|\[[^[\]]{0,999}\])?/g, ''],
  [/\[\[(?:[^[\]|]{0,999}\|)?([^[\]|]{0,999})\]\]/g, '$1'],
  [/^[ \t>]*\[[^[\]]{1,999}\]:.*$/gm, ''],
  [/[ \t]*\[[\s\d,;^*_]{1,20}\](?:\([^()]{0,999}\)?|\[(?!\s*S\s*\d)[^[\]]{0,999}\])/g, ''],
  [/\[(?!\s*S\s*\d)([^[\]]{0,999})\]\([^()]{0,999}(?:\([^()]{0,999}\)[^()]{0,999}){0,9}\)?/g, '$1'],
  [/\[(?!\s*S\s*\d)([^[\]]{0,999})\]\[(?!\s*S\s*\d)[^[\]]{0,999}\]/g, '$1'],
  ...ADDRESSES,
  [/(?<![:\w])[/\\]{2}(?=[\w[])[^\s<>"'`]*/g, ''],
  [/[^\s<>()[\]"'`,;@]{0,64}@[^\s<>()[\]"'`,;@]{0,255}\.[^\s<>()[\]"'`,;@]+/g, ''],
  [domain(`${ENDINGS}|${WORDS_OF_CODE}`, ''), ''],
  [ASKED, ''],
  [NUMBERED, ''],
]

/** What goes from code: links and HTML are none there, but some programs make links of addresses. */
const RULES_OF_CODE: readonly Rule[] = [
  ...ADDRESSES,
  [/[^\s<>()[\]"'`,;@]{1,64}@[^\s<>()[\]"'`,;@]{0,255}\.[^\s<>()[\]"'`,;@]+/g, ''],
  [domain(ENDINGS, '('), ''],
]

/** What taking something away may make of what stood around it is taken away, too. */
const MOST_ROUNDS = 20
/** A longer answer is cut before it is looked at. */
const MOST_CHARACTERS = 100_000

/**
 * An answer of a model as plain Markdown: pictures, HTML, links of every form, addresses and what programs make links of are gone. Markers such
 * as `[S1]` stay as they are, and so does code, but for addresses.
 */
export function cleanAnswer(answer: string): CleanAnswer {
  let text = withoutThinking(visible(answer).replace(MASK_SIGNS, '')).slice(0, MOST_CHARACTERS)
  let removed = 0
  const count = (found: number): void => {
    removed += found
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = text
    text = beside(text, count, (rest) => replaceAll(decoded(rest), RULES, count))
    if (text !== before) continue
    text = beside(text, count, disarmed)
    if (text === before) return { text, removed }
  }
  // An answer that nests so deep says nothing else.
  return { text: '', removed }
}

/** Stands for a piece of code, whose number is between. */
const MASK = /\ue000(\d+)\ue001/g
const MASK_SIGNS = /[\ue000\ue001]/g

/** Changes what stands beside code; of code itself only addresses go. */
function beside(text: string, count: (removed: number) => void, change: (rest: string) => string): string {
  const codes: string[] = []
  let rest = ''
  let from = 0
  for (const { kind, start, end } of codeIn(text)) {
    const code = cleanCode(text.slice(start, end), count)
    rest += text.slice(from, start)
    if (kind === 'fenced' || /[^\s`]/.test(code)) rest += `\ue000${codes.push(code) - 1}\ue001`
    from = end
  }
  return change(rest + text.slice(from)).replace(MASK, (_, at: string) => codes[Number(at)] ?? '')
}

/** Code as it is, or without addresses; a backslash or a character reference in it hides none. */
function cleanCode(code: string, count: (removed: number) => void): string {
  const plain = decoded(code)
  const hides = plain !== code && RULES_OF_CODE.some(([pattern]) => plain.search(pattern) >= 0)
  return replaceAll(hides ? plain : code, RULES_OF_CODE, count)
}

function replaceAll(text: string, rules: readonly Rule[], count: (removed: number) => void): string {
  let found = 0
  const clean = rules.reduce(
    (left, [pattern, instead]) =>
      left.replace(pattern, (...match: readonly unknown[]) => {
        found++
        return instead === '$1' ? String(match[1] ?? '') : instead
      }),
    text,
  )
  count(found)
  return clean
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
      const isCharacter = code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)
      return isCharacter ? visible(String.fromCodePoint(code)).replace(MASK_SIGNS, '') : ''
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
