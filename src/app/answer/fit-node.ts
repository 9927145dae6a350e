import { type Fitted, jsonBytes } from './budget.ts'
import { compose, fitMembers, leastBytes } from './fit-list.ts'
import type { NodeDetails } from './node-details.ts'
import type { ListedNode } from './node-response.ts'

/** The part of an answer that depends on how much text it shows. */
export interface Recut {
  readonly content: string
  readonly hash?: string
  readonly next_offset: number | undefined
}

/** Bytes of `partial:` and `"next_offset":1000000,`. */
const CUT_FACTS = 32
/** Less of a text says nothing, and is shown only where there is no room for so much. */
const LEAST_TEXT = 160
/** As little as a caller may ask for. */
const LEAST_CHARS = 20
/** The text's share of the room after ids and titles; the rest is for the other facts. */
const CONTENT_SHARE = 0.6
/** Facts about the note beside its text, in order of importance. */
const FACTS = ['tags', 'properties', 'outline', 'links', 'vault_links'] as const

/** Fits a note into a budget: ids and titles of its neighbours, its text, its other facts, then the neighbours' details. */
export function fitNode(node: NodeDetails, room: number, recut: (chars: number) => Recut): Fitted<NodeDetails> {
  if (jsonBytes(node) <= room) return { value: node, omitted: {} }
  const { incomingNeighbors: incoming = [], outgoingNeighbors: outgoing = [] } = node
  const neighbors = alternating(incoming, outgoing)
  const bare = { ...node, content: '', tags: [], properties: {}, outline: [], links: [], ...without(node) }
  const left = room - jsonBytes(bare) - CUT_FACTS
  const least = Math.min(left / 2, leastBytes(neighbors))
  const content = fittingContent(node, { fair: (left - least) * CONTENT_SHARE, most: left }, recut)
  const facts = fitMembers({ ...node, ...content }, FACTS, left - least - jsonBytes(content.content))
  const spent = jsonBytes({ ...facts.value, ...without(node) }) - jsonBytes(bare)
  const around = compose(neighbors, { room: left - spent, called: 'neighbors', isFirstSure: false })
  const shown = new Set(around.rows)
  const of = (some: readonly ListedNode[]) =>
    around.rows.filter((row, at) => shown.has(row) && some.includes(neighbors[at] as ListedNode))
  const { next_offset, ...value } = facts.value
  return {
    value: {
      ...value,
      ...(node.outgoingNeighbors === undefined ? {} : { outgoingNeighbors: of(outgoing) }),
      ...(node.incomingNeighbors === undefined ? {} : { incomingNeighbors: of(incoming) }),
      ...(next_offset === undefined ? {} : { next_offset }),
    },
    omitted: {
      ...around.omitted,
      ...facts.omitted,
      ...(content.content === node.content ? {} : { content: (around.omitted.content ?? 0) + 1 }),
    },
  }
}

function without({ outgoingNeighbors, incomingNeighbors, vault_links }: NodeDetails): Partial<NodeDetails> {
  return {
    ...(outgoingNeighbors === undefined ? {} : { outgoingNeighbors: [] }),
    ...(incomingNeighbors === undefined ? {} : { incomingNeighbors: [] }),
    ...(vault_links === undefined ? {} : { vault_links: [] }),
  }
}

/** The beginning of the text whose JSON fits what is fair, or the least that is worth reading, or what there is room for. */
function fittingContent(
  node: NodeDetails,
  { fair, most }: { readonly fair: number; readonly most: number },
  recut: (chars: number) => Recut,
): Recut {
  const { content = '' } = node
  const bytes = jsonBytes(content)
  if (bytes <= fair) return recut(content.length)
  for (let chars = Math.floor((content.length * fair) / bytes); chars > LEAST_TEXT; chars = Math.floor(chars * 0.9)) {
    const cut = recut(chars)
    if (jsonBytes(cut.content) <= fair) return cut
  }
  for (let chars = LEAST_TEXT; chars > LEAST_CHARS; chars = Math.floor(chars * 0.8)) {
    const cut = recut(chars)
    if (jsonBytes(cut.content) <= most) return cut
  }
  return recut(LEAST_CHARS)
}

/** Alternates between two lists, so neither pushes out the other. */
function alternating<T>(a: readonly T[], b: readonly T[]): readonly T[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [...a.slice(at, at + 1), ...b.slice(at, at + 1)]).flat()
}
