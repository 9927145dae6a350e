import type { NodeId } from '../../core/ids.ts'
import { ALL, type Node, type NodeKind, type Occurrence, type Snapshot } from '../../core/store.ts'
import { findComments, findFormulas } from '../../markdown/inline-spans.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { lookUp, unknownIdWarning } from '../names/known-node.ts'
import { readNotes, unansweredError } from './texts.ts'

export interface PageText {
  readonly title: string
  /** The text without frontmatter, up to `MAX_LENGTH`. It is empty for attachments and missing notes. */
  readonly text: string
  /** Number of characters omitted at the end. */
  readonly left_out: number
  /** Number of lines before `text` in the file. */
  readonly lines_before: number
  readonly links: readonly PageLink[]
  /** The UTF-16 offsets of `%% … %%` in `text`, in order. */
  readonly comments: readonly { readonly start: number; readonly end: number }[]
  /** The UTF-16 offsets of formulas in `text`, in order. Delimiters (`$…$`, `$$…$$`) are included. */
  readonly formulas: readonly { readonly start: number; readonly end: number }[]
  /** True if single line breaks are preserved, as in Obsidian and Logseq. */
  readonly breaks: boolean
}

/** A note as the page shows it. A missing link target has the kind `missing`. */
export interface PageNote
  extends PageText,
    Pick<Node, 'id' | 'kind' | 'tags' | 'aliases' | 'properties' | 'created' | 'modified'> {
  /** The name of the vault's folder, which Obsidian uses as the vault's name. */
  readonly folder: string
  /** The path as spelled on disk. It is omitted if there is no file. */
  readonly path?: string
}

/** A link, with UTF-16 offsets in `text`. */
export interface PageLink extends Pick<Occurrence, 'start' | 'end' | 'to' | 'form' | 'subpath'> {
  readonly title: string
  readonly kind: NodeKind
  readonly embed: boolean
}

/** The maximum length in UTF-16 code units, because browsers lay out longer text slowly. */
const MAX_LENGTH = 200_000

const KEEPS_LINES: ReadonlySet<string | undefined> = new Set(['obsidian', 'logseq'])

/** Returns `null` for an unknown or excluded node. @throws RouxError `TIMEOUT` if its file does not respond */
export function pageNote(
  core: GraphCore,
  { id: name }: { readonly id: string },
  call: Call = {},
): Promise<Answer<PageNote | null>> {
  return answer(core, call, async (snapshot) => {
    const [id] = await lookUp(snapshot, core, [name])
    const [node] = id === undefined ? [] : await snapshot.nodes([id], { links: 0, times: true })
    if (id === undefined || node === undefined || !(await isVisible(snapshot, node)))
      return { value: null, warnings: [await unknownIdWarning(snapshot, name)] }
    const { notes, unread } = await readNotes({ core, snapshot, call }, [id], { links: 0 })
    if (unread.length > 0) throw unansweredError(id)
    const { text = '', bodyStart = 0 } = notes[0]?.source ?? {}
    const end = Math.min(text.length, bodyStart + MAX_LENGTH)
    const { path, title, kind, tags, aliases, properties, created, modified } = node
    const value: PageNote = {
      id,
      // The path is split here, because `node:path` is not available in browsers.
      folder: core.root.split(/[\\/]/).findLast((part) => part !== '') ?? '',
      ...(path === undefined ? {} : { path }),
      title,
      kind,
      tags,
      aliases,
      properties,
      ...(created === undefined ? {} : { created }),
      ...(modified === undefined ? {} : { modified }),
      text: text.slice(bodyStart, end),
      left_out: text.length - end,
      lines_before: text.slice(0, bodyStart).split('\n').length - 1,
      links: text === '' ? [] : await linksIn(snapshot, id, { start: bodyStart, end }),
      comments: id.endsWith('.canvas') ? [] : commentsIn(text.slice(bodyStart, end)),
      formulas: id.endsWith('.canvas') ? [] : findFormulas(text.slice(bodyStart, end), 0),
      breaks: KEEPS_LINES.has(core.indexing.status().mode),
    }
    return plain(value)
  })
}

async function isVisible(snapshot: Snapshot, { id, kind, excluded }: Node): Promise<boolean> {
  if (kind !== 'missing') return !excluded
  return (await snapshot.neighbors(id, { direction: 'in', kinds: ['note', 'canvas'] }, { offset: 0, limit: 0 })).total > 0
}

async function linksIn(
  snapshot: Snapshot,
  id: NodeId,
  shownSpan: { readonly start: number; readonly end: number },
): Promise<readonly PageLink[]> {
  const { items } = await snapshot.neighbors(id, { direction: 'out', kinds: ['note', 'attachment', 'canvas', 'missing'] }, ALL)
  // The note is added, because its links to itself are not among its neighbors.
  const targets = [id, ...items]
  const [nodes, linksFound] = await Promise.all([
    snapshot.nodes(targets, { links: 0 }),
    snapshot.occurrences(targets.map((target) => [id, target] as const)),
  ])
  return linksFound
    .flatMap((occurrences, at) => {
      const node = nodes[at]
      if (node === undefined) return []
      return occurrences
        .filter(({ start, end, property }) => property === undefined && start >= shownSpan.start && end <= shownSpan.end)
        .map(({ start, end, to, kind, form, subpath }) => ({
          start: start - shownSpan.start,
          end: end - shownSpan.start,
          to,
          title: node.title,
          kind: node.kind,
          form,
          embed: kind === 'embed',
          ...(subpath === undefined ? {} : { subpath }),
        }))
    })
    .sort((a, b) => a.start - b.start)
}

function commentsIn(text: string): PageNote['comments'] {
  return findComments(text, 0).map(({ start, end }) => ({ start, end }))
}
