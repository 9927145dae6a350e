import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Node, NodeOptions, Snapshot } from '../../core/store.ts'
import { listSome } from '../../core/text/format.ts'
import type { NoteText } from '../../core/texts.ts'
import { untilAborted } from '../../core/waiting.ts'
import { canvasProse } from '../../markdown/json-canvas/canvas-json.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore, Warning } from '../graph-core.ts'

export interface ReadingContext {
  readonly core: GraphCore
  readonly snapshot: Snapshot
  readonly call: Call
}

export interface ReadTexts {
  readonly texts: ReadonlyMap<NodeId, NoteText>
  readonly unread: readonly NodeId[]
  /** Notes that keep changing. The snapshot does not contain their latest text. */
  readonly changed: ReadonlySet<NodeId>
  readonly paths: ReadonlyMap<NodeId, string>
}

/**
 * Reads notes and canvases. If a file has changed, it is indexed, and the use case starts again. For `others`, only paths are
 * looked up.
 */
export async function readTexts(
  reading: ReadingContext,
  ids: readonly NodeId[],
  others: readonly NodeId[] = [],
): Promise<ReadTexts> {
  const cache = textsRead.get(reading.snapshot) ?? new Map<NodeId, NoteText>()
  textsRead.set(reading.snapshot, cache)
  const cached = ids.flatMap((id) => {
    const text = cache.get(id)
    return text === undefined ? [] : [[id, text] as const]
  })
  const missing = ids.filter((id) => !cache.has(id))
  const read = missing.length === 0 ? NOTHING_READ : await readMissing(reading, missing, others)
  for (const [id, text] of read.texts) if (!read.changed.has(id)) cache.set(id, text)
  return cached.length === 0 ? read : { ...read, texts: new Map([...cached, ...read.texts]) }
}

/** Texts are cached, because a search reads the same notes for links and for passages. */
const textsRead = new WeakMap<Snapshot, Map<NodeId, NoteText>>()

const NOTHING_READ: ReadTexts = { texts: new Map(), unread: [], changed: new Set(), paths: new Map() }

async function readMissing(
  { core, snapshot, call }: ReadingContext,
  ids: readonly NodeId[],
  others: readonly NodeId[],
): Promise<ReadTexts> {
  const [versions, stored] = await Promise.all([snapshot.versions([...ids, ...others]), snapshot.texts?.(ids)])
  const places = versions
    .slice(0, ids.length)
    .flatMap((version, at) => (version === undefined || version.kind === 'attachment' ? [] : [{ version, at }]))
  const expectedVersions = places.map(({ version }) => version)
  const read = stored === undefined ? await core.texts.read(expectedVersions, call.signal) : places.map(({ at }) => stored[at])
  const changed = expectedVersions.filter(({ hash }, at) => {
    const text = read[at]
    // An unreadable note has an empty hash.
    return hash !== '' && text !== 'unread' && text?.hash !== hash
  })
  if (changed.length > 0 && !snapshot.isLast) {
    const indexed = core.indexing.reconcile(changed.map(({ path }) => path))
    await untilAborted(indexed, call.signal)
  }
  if (changed.length > 0) snapshot.restart()
  return {
    texts: new Map(
      expectedVersions.flatMap(({ id }, at) => {
        const text = read[at]
        return text === undefined || text === 'unread' ? [] : [[id, text] as const]
      }),
    ),
    unread: expectedVersions.filter((_, at) => read[at] === 'unread').map(({ id }) => id),
    changed: new Set(changed.map(({ id }) => id)),
    paths: new Map(versions.flatMap((version) => (version === undefined ? [] : [[version.id, version.path] as const]))),
  }
}

/** Returns the text of a note. @throws RouxError `TIMEOUT` */
export async function requireText(reading: ReadingContext, id: NodeId): Promise<NoteText | undefined> {
  const { texts, unread } = await readTexts(reading, [id])
  if (unread.length > 0) throw unansweredError(id)
  return texts.get(id)
}

export function unansweredError(id: NodeId): RouxError {
  return new RouxError('TIMEOUT', `The file of ${quoted(id)} does not respond.`, {
    hint: 'It may be on a network drive or in cloud storage. Call again later.',
  })
}

export interface NoteWithText {
  readonly node: Node
  /** The note's text. It is `undefined` for attachments, and if the file does not respond. */
  readonly source: NoteText | undefined
}

/**
 * Returns `undefined` for missing notes.
 * @throws RouxError `TIMEOUT` if the file does not respond, `PERMISSION_DENIED` if it cannot be read
 */
export async function readNode(reading: ReadingContext, id: NodeId, options: NodeOptions): Promise<NoteWithText | undefined> {
  const { notes, unread } = await readNotes(reading, [id], options)
  if (unread.length > 0) throw unansweredError(id)
  const [note] = notes
  if (note !== undefined) return note
  const [[node], [version]] = await Promise.all([reading.snapshot.nodes([id], options), reading.snapshot.versions([id])])
  if (node?.kind === 'attachment') return { node, source: undefined }
  if (version?.hash !== '') return undefined
  throw new RouxError('PERMISSION_DENIED', `${quoted(id)} cannot be read.`, { hint: "Check the file's permissions." })
}

/** Reads notes with their texts. Notes that keep changing have no headings and tasks, because line numbers would be wrong. */
export async function readNotes(
  reading: ReadingContext,
  ids: readonly NodeId[],
  options: NodeOptions,
): Promise<{ readonly notes: readonly (NoteWithText | undefined)[]; readonly unread: readonly NodeId[] }> {
  // The files are read by worker threads while the query runs.
  const [{ texts, unread, changed }, nodes] = await Promise.all([readTexts(reading, ids), reading.snapshot.nodes(ids, options)])
  const notes = ids.map((id, at) => {
    const node = nodes[at]
    const source = texts.get(id)
    if (node === undefined || (source === undefined && !unread.includes(id))) return undefined
    return { node: changed.has(id) ? { ...node, headings: [], tasks: [] } : node, source }
  })
  return { notes, unread }
}

export function unreadWarnings(unread: readonly NodeId[]): readonly Warning[] {
  if (unread.length === 0) return []
  const names = listSome(
    unread.map((id) => JSON.stringify(id)),
    MAX_NAMED,
  )
  const message = `The text of ${names} is missing, because the file does not respond. It may be on a network drive or in cloud storage. Ask again later.`
  return [{ code: 'UNREAD', message }]
}

const MAX_NAMED = 5

/** Returns the visible text, which in a canvas is only that of the cards. */
export function shownText({ kind }: Pick<Node, 'kind'>, text: string): string {
  return kind === 'canvas' ? text.trim().replace(/ {2,}/g, ' ') : text
}

export function readableSource({ kind }: Pick<Node, 'kind'>, source: NoteText): NoteText {
  return kind === 'canvas' ? { ...source, text: canvasProse(source.text) } : source
}
