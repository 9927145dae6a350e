import type { WriteResult } from '../../core/operations.ts'
import { partialHash } from '../../core/text/partial-reading.ts'
import type { NoteText } from '../../core/texts.ts'
import { type Call, plain } from '../answer/answer-when-ready.ts'
import { MAX_LINKS, type NodeResponse } from '../answer/node-response.ts'
import { CONTENT_LIMITS } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { filesByPath } from '../names/known-node.ts'
import type { NodeDetails } from '../read/get-node.ts'
import { noteWarnings } from '../read/problems.ts'
import { type NoteWithText, readNode } from '../read/texts.ts'
import { textAround } from './facts.ts'
import { readBack } from './operation-runner.ts'

export interface ChangedNode extends NodeResponse, Partial<Pick<NodeDetails, 'properties' | 'created' | 'modified' | 'outline'>> {
  /** Spelled as on disk. */
  readonly path: string
  /** SHA-256 of the file, prefixed with `partial:` if the caller has not seen all of its text. */
  readonly hash?: string
  /** Number of all links. `links` contains only the first ones. */
  readonly link_count: number
}

export interface WrittenAt extends Pick<WriteResult, 'text'> {
  readonly path: string | undefined
}

/** Returns the node that is now at a path, with the text around the change, or `undefined` if there is none. */
export function nodeAt(core: GraphCore, { path, text }: WrittenAt, call: Call): Promise<Answer<ChangedNode | undefined>> {
  // The index contains the change already, even if the watcher notices it only now.
  return readBack(path, (at) =>
    core.store.read(async (snapshot) => {
      const id = (await filesByPath(snapshot, core, [at])).at(at)?.id
      const options = { links: call.whole === true ? MAX_LINKS : SHOWN_LINKS, times: call.whole === true }
      const read = id === undefined ? undefined : await readNode({ core, snapshot, call }, id, options)
      if (id === undefined || read === undefined) return plain(undefined)
      // Ambiguous links either existed before or are reported as new links.
      const warnings = (await noteWarnings(snapshot, id)).filter(({ code }) => code === 'MALFORMED')
      return { value: changedNode(read, { path: at, text }, call), warnings }
    }, call.signal),
  )
}

/** Maximum number of links that a model gets for a note that it has written. */
const SHOWN_LINKS = 3

function changedNode({ node, source }: NoteWithText, { path, text }: WrittenAt, { whole = false }: Call): ChangedNode {
  const body = source?.text.slice(source.bodyStart) ?? ''
  const changed = text?.hash === source?.hash ? text?.changed : undefined
  const content = whole ? body : textAround(body, CONTENT_LIMITS.list, changed ?? { start: 0, end: 0 })
  const { created, modified, properties, headings } = node
  return {
    id: node.id,
    path: path ?? '',
    title: node.title,
    ...(source === undefined ? {} : { hash: knows(source, { content, text }) ? source.hash : partialHash(source.hash) }),
    tags: node.tags,
    links: node.links,
    link_count: node.linkCount,
    content,
    ...(node.kind === 'note' ? {} : { kind: node.kind }),
    ...(whole ? { properties, outline: headings } : {}),
    ...(whole && created !== undefined ? { created } : {}),
    ...(whole && modified !== undefined ? { modified } : {}),
  }
}

/**
 * Checks whether the caller may replace the whole text, because it has seen or written all of it. Text that the caller wrote
 * counts only if the file still contains it.
 */
function knows(source: NoteText, { content, text }: { readonly content: string } & Pick<WriteResult, 'text'>): boolean {
  const isShown = content.length === source.text.length - source.bodyStart
  return isShown || (text?.isKnown === true && text.hash === source.hash)
}
