import { RouxError } from '../core/errors.ts'
import type { NodeId } from '../core/ids.ts'
import type { Node, NodeOptions, NoteText } from '../core/store.ts'
import type { GraphCore, Warning } from './graph-core.ts'

/** A text; `'unread'` where its file does not answer, `undefined` where there is none. */
export type ReadText = NoteText | 'unread' | undefined

/** How often a note that changes while it is read is read again. */
export const ATTEMPTS = 3

/** The text of a note that an answer can do without. */
export async function tryText({ store }: GraphCore, id: NodeId): Promise<ReadText> {
  try {
    return await store.text(id)
  } catch (error) {
    if (error instanceof RouxError && error.code === 'TIMEOUT') return 'unread'
    throw error
  }
}

/** The texts of some notes, those that could be read, and what to say of the others. */
export async function readTexts(
  core: GraphCore,
  ids: readonly NodeId[],
): Promise<{ readonly texts: ReadonlyMap<NodeId, NoteText>; readonly unread: readonly NodeId[] }> {
  const read = await Promise.all(ids.map(async (id) => [id, await tryText(core, id)] as const))
  return {
    texts: new Map(read.flatMap(([id, text]) => (text === undefined || text === 'unread' ? [] : [[id, text] as const]))),
    unread: read.filter(([, text]) => text === 'unread').map(([id]) => id),
  }
}

/** A node and its text, of one version of the file. */
export interface NoteWithText {
  readonly node: Node
  /** `undefined` where the file does not answer. */
  readonly source: NoteText | undefined
}

/**
 * Notes with their texts, in order; `undefined` where there is none. What the index says of a note is of the version that is given: a note that
 * changes again and again has no headings, because their lines would be those of another text.
 */
export async function readNotes(
  core: GraphCore,
  ids: readonly NodeId[],
  options: NodeOptions,
): Promise<{ readonly notes: readonly (NoteWithText | undefined)[]; readonly unread: readonly NodeId[] }> {
  const texts = new Map<NodeId, NoteText>()
  const unread = new Set<NodeId>()
  const nodes = new Map<NodeId, Node>()
  let wanted = ids
  for (let attempt = 0; attempt < ATTEMPTS && wanted.length > 0; attempt++) {
    // Files are read in another thread while nodes are looked up in this one.
    const [read, found] = await Promise.all([readTexts(core, wanted), core.store.nodes(wanted, { ...options, hash: true })])
    for (const [at, id] of wanted.entries()) {
      const node = found[at]
      const text = read.texts.get(id)
      if (node === undefined) nodes.delete(id)
      else nodes.set(id, node)
      if (text === undefined) texts.delete(id)
      else texts.set(id, text)
    }
    for (const id of read.unread) unread.add(id)
    wanted = wanted.filter((id) => !isOneVersion(nodes.get(id), texts.get(id)))
  }
  const notes = ids.map((id) => {
    const node = nodes.get(id)
    const source = texts.get(id)
    if (node === undefined || (source === undefined && !unread.has(id))) return undefined
    return { node: source === undefined ? node : asOf(source, node), source }
  })
  return { notes, unread: [...unread] }
}

/** The node without what would be of another version than the text. */
export function asOf(text: NoteText, node: Node): Node {
  return isOneVersion(node, text) ? node : { ...node, headings: [] }
}

/** Whether a node, where its hash was asked for, and a text are of one version of the file. */
export function isOneVersion(node: Node | undefined, text: NoteText | undefined): boolean {
  return node === undefined || text === undefined || node.hash === undefined || node.hash === text.hash
}

/** What is said of an answer that does without some texts. */
export function unreadWarnings(unread: readonly NodeId[]): readonly Warning[] {
  if (unread.length === 0) return []
  const named = unread.slice(0, MOST_NAMED).map((id) => JSON.stringify(id))
  const others = unread.length > named.length ? ` and ${unread.length - named.length} more` : ''
  const message = `The text of ${named.join(', ')}${others} is not in this answer: the file does not answer, as when it is on a network drive or in a cloud. Ask again later.`
  return [{ code: 'UNREAD', message }]
}

const MOST_NAMED = 5
