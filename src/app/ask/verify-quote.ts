import { findQuote, linksAndCode, quotedText } from '../../ai/source.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Node } from '../../core/store.ts'
import { lineNumber } from '../../core/text/line-number.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import type { NoteText } from '../../core/texts.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { type Passage, passagesOf } from '../find/passages.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { requireNamed, unknownNodeError } from '../names/known-node.ts'
import { readableSource, requireText } from '../read/texts.ts'

export interface VerifyArguments {
  readonly id: string
  readonly quote: string
}

export type VerifiedQuote =
  | {
      readonly found: false
      readonly id: NodeId
      /** The passage that shares the most words with the quote. */
      readonly nearest?: Omit<Passage, 'score'>
    }
  | {
      readonly found: true
      readonly id: NodeId
      readonly exact: boolean
      readonly start_line: number
      readonly end_line: number
      readonly text: string
    }

/** Verifies a quote. @throws RouxError `NODE_NOT_FOUND` */
export function verifyQuote(
  core: GraphCore,
  { id: name, quote }: VerifyArguments,
  call: Call = {},
): Promise<Answer<VerifiedQuote>> {
  return answer<VerifiedQuote>(core, call, async (snapshot) => {
    const { id } = await requireNamed(snapshot, core, name)
    const [[node], source] = await Promise.all([snapshot.nodes([id], { links: 0 }), requireText({ core, snapshot, call }, id)])
    if (node === undefined || source === undefined) throw await unknownNodeError(snapshot, name)
    const match = findQuote(quote, quotedText(source.text))
    if (match === undefined) return plain({ found: false, id, ...nearestTo(quote, node, source) })
    const { start, end } = withWholeLinks(source.text, match)
    return plain({
      found: true,
      id,
      exact: match.isExact,
      start_line: lineNumber(source.text, start),
      end_line: lineNumber(source.text, end),
      text: source.text.slice(start, end),
    })
  })
}

/** The limits of the text around a quote in which links and code are found, in UTF-16 units, because lines can be very long. */
const AROUND = { before: 20_000, after: 1_000 }

function withWholeLinks(text: string, { start, end }: TextRange): TextRange {
  // Code is found from the start of the line, because each backtick starts or ends code.
  const from = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - AROUND.before)
  const lineEnd = text.indexOf('\n', end)
  const to = Math.min(lineEnd === -1 ? text.length : lineEnd, end + AROUND.after)
  const range = { start, end }
  for (const link of linksAndCode(text.slice(from, to))) {
    const [first, last] = [from + link.start, from + link.end]
    if (first < start && start < last) range.start = first
    if (first < end && end < last) range.end = last
  }
  return range
}

const MAX_COMPARED = 1_000

function nearestTo(quote: string, node: Node, source: NoteText): { readonly nearest?: Omit<Passage, 'score'> } {
  const terms = queryTerms(quote.slice(0, MAX_COMPARED)).map((term) => ({ term, weight: 1 }))
  const [best] = passagesOf(node, readableSource(node, source), { words: { terms, phrases: [] } })
  if (best === undefined || best.score === 0) return {}
  const { score: _, ...nearest } = best
  return { nearest }
}
