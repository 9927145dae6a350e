import type { TextRange } from '../core/text/link-slots.ts'

export interface Quotation extends TextRange {
  readonly quoted: string
}

type Kind = 'double' | 'single' | '「' | '『' | '《' | '〈' | '〝'

interface Mark {
  readonly kind: Kind
  readonly usual: 'open' | 'close' | 'either'
}

const MARKS: ReadonlyMap<string, Mark> = new Map([
  ...marks('double', 'open', '“„‟«❝❮'),
  ...marks('double', 'close', '”»❞❯'),
  ...marks('double', 'either', '"＂〃'),
  ...marks('single', 'open', '‘‚‛❛‹'),
  ...marks('single', 'close', '’❜›'),
  ...marks('single', 'either', "'＇`´"),
  ...(['「」﹁﹂', '『』﹃﹄', '《》', '〈〉', '〝〞〟'] as const).flatMap((pair) => {
    const kind = pair.charAt(0) as Kind
    return [...pair].map((character, at): [string, Mark] => [
      character,
      { kind, usual: kind === '〝' ? (at === 0 ? 'open' : 'close') : at % 2 === 0 ? 'open' : 'close' },
    ])
  }),
])

function marks(kind: Kind, usual: Mark['usual'], characters: string): readonly [string, Mark][] {
  return [...characters].map((character) => [character, { kind, usual }])
}

interface Open extends Mark {
  readonly at: number
}

const WORD = /[\p{L}\p{N}]/u

/**
 * Finds quotations, including nested ones, in linear time. If a mark is missing, the quotation ends with its sentence.
 * Apostrophes are ignored.
 */
export function findQuotations(text: string, sentences: readonly TextRange[]): readonly Quotation[] {
  const spans: TextRange[] = []
  const open: Open[] = []
  const sentenceAt = lookup(sentences)
  for (let at = 0; at < text.length; at++) {
    const mark = MARKS.get(text.charAt(at))
    if (mark === undefined) continue
    const does = roleOf(text, at, { mark, isOpen: open.some(({ kind }) => kind === mark.kind) })
    if (does === 'open' && open.length < MAX_DEPTH) open.push({ ...mark, at })
    if (does !== 'close') continue
    const last = open.findLastIndex(({ kind }) => kind === mark.kind)
    if (last < 0) {
      if (mark.kind !== 'single' && !/\d/.test(text.charAt(at - 1))) spans.push({ start: sentenceAt(at).start, end: at })
      continue
    }
    // The closing mark of a quotation also closes the quotations nested in it.
    for (const inner of open.splice(last))
      if (inner.kind === mark.kind || inner.kind !== 'single') spans.push({ start: inner.at + 1, end: at })
  }
  for (const { kind, at } of open) if (kind !== 'single') spans.push({ start: at + 1, end: sentenceAt(at).end })
  return spans.map(({ start, end }) => ({ start, end, quoted: text.slice(start, end) }))
}

/** Quotations that are nested more deeply count as text of an outer one. */
const MAX_DEPTH = 16

function roleOf(
  text: string,
  at: number,
  { mark, isOpen }: { readonly mark: Mark; readonly isOpen: boolean },
): 'open' | 'close' | undefined {
  const { kind, usual } = mark
  if (kind !== 'double' && kind !== 'single') return usual === 'open' ? 'open' : 'close'
  const toggled = isOpen ? 'close' : 'open'
  const [before, after] = [signKind(text.charAt(at - 1)), signKind(text.charAt(at + 1))]
  // A mark between spaces is a separator, as in `Settings › Editor`.
  if (before === 'space' && after === 'space') return kind === 'single' ? undefined : toggled
  if (before === 'space') return 'open'
  if (after === 'space') return 'close'
  // Apostrophes and inch marks are not quotation marks.
  if (before === 'word' && after === 'word' && (kind === 'single' || /\d/.test(text.charAt(at - 1)))) return undefined
  if (before !== after) return before === 'word' ? 'close' : 'open'
  return usual === 'either' ? toggled : usual
}

function signKind(character: string): 'space' | 'word' | 'sign' {
  if (character === '' || /\s/.test(character)) return 'space'
  return WORD.test(character) ? 'word' : 'sign'
}

function lookup(sentences: readonly TextRange[]): (at: number) => TextRange {
  return (at) => {
    let low = 0
    let high = sentences.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sentences[middle]?.end ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return sentences[low] ?? { start: 0, end: 0 }
  }
}
