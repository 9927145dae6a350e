import { highlightsOf } from '../../app/find/passage-text.ts'
import type { Passage } from '../../app/find/passages.ts'
import type { Explanation } from '../../app/find/search.ts'
import type { LinkLine } from '../../app/links/get-neighbors.ts'
import { type MarkedText, readableText, wrapMarked } from './marked-text.ts'
import { type Look, PLAIN, printable, textWidth, wrapWords } from './text.ts'

export interface FoundLook extends Look {
  readonly question?: string | undefined
}

export interface FoundItem {
  readonly id: string
  readonly title: string
  readonly score?: number
  readonly links: unknown
  readonly tags?: readonly string[]
  readonly content?: string
  readonly passages?: readonly Passage[]
  readonly snippet?: string
  readonly highlights?: MarkedText['marks']
  readonly line?: number
  readonly modified?: string
  readonly lines?: readonly LinkLine[]
  readonly more?: number
  readonly explain?: Explanation
}

export function areNotes(items: readonly Readonly<Record<string, unknown>>[]): boolean {
  return items.every((item) => Array.isArray(item.links) && typeof item.title === 'string')
}

export function renderFound(items: readonly FoundItem[], look: FoundLook): string {
  return items.map((item) => `${renderItem(item, look).join('\n')}\n`).join('\n')
}

const MAX_WIDTH = 100
const BEST_LINES = 4
const MORE_LINES = 2

function renderItem(item: FoundItem, look: FoundLook): readonly string[] {
  const { width = MAX_WIDTH, paint = PLAIN } = look
  const columns = Math.min(width, MAX_WIDTH)
  const lines = [...headLines(item, columns, look), paint('faint', [printable(item.id), ...factsOf(item)].join(' · '))]
  if (item.explain !== undefined) lines.push(...wrapWords(reasonsOf(item.explain), columns).map((line) => paint('faint', line)))
  const text = textOf(item, look)
  return [...lines, ...text.flatMap((part, at) => renderText(part, { columns, isBest: at === 0 }, look))]
}

function headLines({ title, score }: FoundItem, columns: number, { paint = PLAIN }: FoundLook): readonly string[] {
  if (score === undefined) return wrapWords(printable(title), columns).map((line) => paint('bold', line))
  const mark = score.toFixed(2)
  const [first = '', ...more] = wrapWords(printable(title), columns - mark.length - 2)
  return [
    `${paint('bold', first)}${' '.repeat(Math.max(1, columns - textWidth(first) - mark.length))}${mark}`,
    ...more.map((line) => paint('bold', line)),
  ]
}

function factsOf({ line, modified, passages, snippet, tags = [] }: FoundItem): readonly string[] {
  const isListed = passages === undefined && snippet === undefined
  return [
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(modified === undefined ? [] : [`modified ${printable(modified).slice(0, 'yyyy-mm-dd'.length)}`]),
    ...(isListed ? tags.map((tag) => `#${printable(tag)}`) : []),
  ]
}

function reasonsOf({ keyword, semantic, weight, language, exact, close_title }: Explanation): string {
  const leg = (name: string, result: Explanation['keyword']): string =>
    result === null ? `not by ${name}` : `${name} ${result.normalized.toFixed(2)}, rank ${result.rank}`
  return [
    leg('words', keyword),
    leg('meaning', semantic),
    `weight of meaning ${weight.toFixed(2)}`,
    ...(language === undefined ? [] : [`question in ${language}`]),
    ...(exact ? ['exact title'] : []),
    ...(close_title === undefined ? [] : [`title nearly "${printable(close_title)}"`]),
  ].join(' · ')
}

interface ShownText extends MarkedText {
  readonly label?: string
}

function textOf(item: FoundItem, { question = '' }: FoundLook): readonly ShownText[] {
  const { passages = [], snippet, highlights = [], content, lines, more } = item
  if (lines !== undefined) return [...lines.map(linkLine), ...(more === undefined ? [] : [{ text: `… ${more} more`, marks: [] }])]
  if (snippet !== undefined) return snippet === '' ? [] : [readableText({ text: snippet, marks: highlights })]
  if (passages.length === 0 && content !== undefined) return [highlighted(content, question)]
  return passages.map((passage) => ({
    ...highlighted(withoutHeading(passage), question),
    label: labelOf(passage, item.title),
  }))
}

function linkLine({ line, text, direction }: LinkLine): ShownText {
  return { text: `${direction === 'out' ? '→ ' : ''}line ${line}: ${text}`, marks: [] }
}

function highlighted(markdown: string, question: string): MarkedText {
  const { text } = readableText({ text: markdown, marks: [] })
  return { text, marks: highlightsOf(question, text) }
}

function labelOf({ heading, start_line: start, end_line: end }: Passage, title: string): string {
  const below = heading[0] === title ? heading.slice(1) : heading
  const lines = start === end ? `line ${start}` : `lines ${start}–${end}`
  return [...(below.length === 0 ? [] : [below.map(printable).join(' › ')]), lines].join(', ')
}

function withoutHeading({ heading, text }: Passage): string {
  const line = /^#{1,6} +/.exec(text)?.[0]
  const name = heading.at(-1)
  if (line === undefined || name === undefined) return text
  const rest = text.slice(line.length)
  return rest.startsWith(name) && rest.length > name.length ? rest.slice(name.length).trimStart() : text
}

function renderText(
  { label, ...text }: ShownText,
  { columns, isBest }: { readonly columns: number; readonly isBest: boolean },
  { paint = PLAIN }: FoundLook,
): readonly string[] {
  const indent = label === undefined ? '  ' : '    '
  const lines = wrapMarked(text, {
    width: columns - indent.length,
    lines: isBest ? BEST_LINES : MORE_LINES,
    mark: (part) => paint('mark', part),
  })
  return [
    ...(label === undefined ? [] : [...wrapWords(label, columns - 2).map((line) => `  ${paint('faint', line)}`)]),
    ...lines.map((line) => indent + line),
  ]
}
