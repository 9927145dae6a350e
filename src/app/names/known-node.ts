import { RouxError } from '../../core/errors.ts'
import { foldId, type NodeId, toNodeId, withoutVault } from '../../core/ids.ts'
import type { FileVersion, NameHit, NodeKind, Scope, Snapshot } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { isFolder, trimFolder } from '../scope.ts'

const MAX_SIMILAR = 3

const MIN_SIMILARITY = 0.3

/**
 * Finds ids in any case, with or without extension and vault name. Exact paths come first, then `.md`, missing notes and
 * `.canvas`.
 */
export async function lookUp(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  names: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  return (await lookUpKinds(snapshot, core, names)).map((node) => node?.id)
}

/** Works like `lookUp`, but leaves out missing notes. */
export async function findIds(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  names: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  return (await lookUpKinds(snapshot, core, names)).map((node) => (node?.kind === 'missing' ? undefined : node?.id))
}

interface FoundName {
  readonly id: NodeId
  readonly kind: NodeKind
}

export async function lookUpKinds(
  snapshot: Snapshot,
  { name }: Pick<GraphCore, 'name'>,
  names: readonly string[],
): Promise<readonly (FoundName | undefined)[]> {
  const spellings = names.map((argument) => spellingsOf(argument, name))
  const ids = [...new Set(spellings.flatMap(({ likely, last }) => [...likely, ...last]))]
  const kinds = await snapshot.kinds(ids)
  const kindsById = new Map(ids.map((id, at) => [id, kinds[at]]))
  const candidatesOf = (id: NodeId): readonly FoundName[] => {
    const kind = kindsById.get(id)
    return kind === undefined ? [] : [{ id, kind }]
  }
  return spellings.map(({ likely, last }) => {
    const nodes = likely.flatMap(candidatesOf)
    const others = last.flatMap(candidatesOf).filter(({ kind }) => kind !== 'missing')
    return nodes.find(({ kind }) => kind !== 'missing') ?? nodes[0] ?? others[0]
  })
}

export interface FilesByPath {
  at(path: string): FileVersion | undefined
  /** Returns the id of an existing or new file, never that of a file whose path differs in case. */
  idOf(path: string): NodeId
}

export async function filesByPath(
  snapshot: Snapshot,
  { name }: Pick<GraphCore, 'name'>,
  paths: readonly string[],
): Promise<FilesByPath> {
  const idsOf = (path: string): readonly [folded: NodeId, exact: NodeId] => [toNodeId(foldId(path), name), toNodeId(path, name)]
  const ids = [...new Set(paths.flatMap(idsOf))]
  const versions = await snapshot.versions(ids)
  const versionsById = new Map(ids.map((id, at) => [id, versions[at]]))
  const at = (path: string): FileVersion | undefined =>
    idsOf(path)
      .map((id) => versionsById.get(id))
      .find((version) => version?.path === path)
  return {
    at,
    idOf(path) {
      const [folded, exact] = idsOf(path)
      return at(path)?.id ?? (versionsById.get(folded) === undefined ? folded : exact)
    },
  }
}

function spellingsOf(
  argument: string,
  vault: string | undefined,
): { readonly likely: readonly NodeId[]; readonly last: readonly NodeId[] } {
  const inVault = (path: string): string => withoutVault(path, vault)
  const names = [argument, inVault(argument), argument.trim(), inVault(argument.trim())]
  const paths = [...new Set(names)].filter((path) => path !== '')
  const candidates = paths.flatMap((path) => [path, foldId(path), `${path}.md`, foldId(`${path}.md`)])
  const last = [...new Set(paths.map(inVault))].flatMap((path) => [`${path}.canvas`, foldId(`${path}.canvas`)])
  return { likely: candidates.map((path) => toNodeId(path, vault)), last: last.map((path) => toNodeId(path, vault)) }
}

export interface NamedNodes {
  /** The resolved ids. An unknown node is `undefined`. */
  readonly ids: readonly (NodeId | undefined)[]
  /** The warning is `UNKNOWN_ID` for an unknown node, and `NOTICE` for a title or alias. */
  readonly warnings: readonly Warning[]
}

export interface NamedNode {
  readonly id: NodeId
  /** A `NOTICE` for each title or alias that was used instead of an id. */
  readonly warnings: readonly Warning[]
}

export interface NamingOptions {
  /** If true, excluded files and missing notes are found, too. */
  readonly withMissing?: boolean
}

export interface Meaning {
  /** The matching ids. There are none for an unknown name, and several for an ambiguous one. */
  readonly ids: readonly NodeId[]
  readonly isId: boolean
}

/** Resolves names for all tools and queries. A name is an id, or else the title, alias or file name of exactly one file. */
export async function meaningsOf(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  names: readonly string[],
  { withMissing = false }: NamingOptions = {},
): Promise<readonly Meaning[]> {
  // The queries run in parallel, because an unnecessary query is cheaper than a second round trip.
  const [byId, equalNames, others] = await Promise.all([
    lookUpKinds(snapshot, core, names),
    nodesNamed(snapshot, names),
    withMissing ? snapshot.names(names.map(trimName), 'equal', { kinds: ALL_KINDS, withExcluded: true }) : [],
  ])
  return names.map((_, at) => {
    const idMatch = byId[at]
    const exactHits = equalNames[at] ?? []
    // An existing note takes priority over a missing one.
    const isMissing = idMatch?.kind === 'missing' && (!withMissing || exactHits.length > 0)
    if (idMatch !== undefined && !isMissing) return { ids: [idMatch.id], isId: true }
    const hits = exactHits.length > 0 ? exactHits : ownNames(others[at] ?? [])
    return { ids: hits.map(({ id }) => id), isId: false }
  })
}

const ALL_KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment', 'missing']

/** Returns the only id that a name stands for. @throws RouxError `AMBIGUOUS_NAME` with the ids */
export function onlyMeaning(name: string, { ids }: Meaning): NodeId | undefined {
  if (ids.length > 1) throw ambiguousName(name, ids)
  return ids[0]
}

export async function findNamed(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  names: readonly string[],
  options: NamingOptions = {},
): Promise<NamedNodes> {
  const meanings = await meaningsOf(snapshot, core, names, options)
  const ids = names.map((name, at) => onlyMeaning(name, meanings[at] ?? NOTHING))
  const byName = new Map(names.flatMap((name, at) => (meanings[at]?.isId === true ? [] : [[name, ids[at]] as const])))
  const warnings = await Promise.all(
    [...byName].map(([name, id]) => (id === undefined ? unknownIdWarning(snapshot, name) : takenWarning(name, id))),
  )
  return { ids, warnings }
}

const NOTHING: Meaning = { ids: [], isId: false }

/** Finds the node of a name. @throws RouxError `AMBIGUOUS_NAME`; `NODE_NOT_FOUND` with the nearest ids */
export async function requireNamed(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  name: string,
  options: NamingOptions = {},
): Promise<NamedNode> {
  const [meaning = NOTHING] = await meaningsOf(snapshot, core, [name], options)
  const id = onlyMeaning(name, meaning)
  if (id === undefined) throw await unknownNodeError(snapshot, name)
  return { id, warnings: meaning.isId ? [] : [takenWarning(name, id)] }
}

export function resolvedMessage(name: string, id: string): string {
  return `${quoted(name)} is the note ${quoted(id)}.`
}

function takenWarning(name: string, id: NodeId): Warning {
  return { code: 'NOTICE', message: resolvedMessage(name, id) }
}

/** Finds nodes by title or alias, and otherwise by file name. Attachments count only if no note or canvas matches. */
export async function nodesNamed(
  snapshot: Snapshot,
  names: readonly string[],
  scope: Scope = {},
): Promise<readonly (readonly NameHit[])[]> {
  const [notes, attachments] = await Promise.all([
    snapshot.names(names.map(trimName), 'equal', { ...scope, kinds: ['note', 'canvas'] }),
    snapshot.names(names.map(trimName), 'equal', { ...scope, kinds: ['attachment'] }),
  ])
  return names.map((_, at) => ownNames(notes[at]?.length ? notes[at] : (attachments[at] ?? [])))
}

function trimName(name: string): string {
  return name.trim()
}

export function ownNames(hits: readonly NameHit[]): readonly NameHit[] {
  const own = hits.filter((hit) => hit.of !== 'file')
  return own.length > 0 ? own : hits
}

const MAX_CANDIDATES = 20

export function ambiguousName(name: string, ids: readonly string[]): RouxError {
  return new RouxError('AMBIGUOUS_NAME', `${ids.length} notes are called ${quoted(name)}.`, {
    hint: 'Give the id of one of them.',
    candidates: ids.slice(0, MAX_CANDIDATES),
  })
}

export async function unknownNodeError(snapshot: Snapshot, name: string): Promise<RouxError> {
  if (await namesFolder(snapshot, name)) {
    return new RouxError('NODE_NOT_FOUND', `There is no note ${quoted(name)}, but there is a folder with that name.`, {
      hint: 'find_nodes with this folder lists its notes.',
    })
  }
  const candidates = await nearestIds(snapshot, name)
  return new RouxError('NODE_NOT_FOUND', `There is no note ${quoted(name)}.`, {
    hint: candidates.length > 0 ? 'Did you mean one of the candidates?' : 'Use search or find_nodes to find notes.',
    ...(candidates.length > 0 ? { candidates } : {}),
  })
}

export async function unknownIdWarning(snapshot: Snapshot, id: string, scope: Scope = {}): Promise<Warning> {
  if (await namesFolder(snapshot, id)) {
    const message = `There is no node ${quoted(id)}, but there is a folder with that name. find_nodes with this folder lists its notes.`
    return { code: 'UNKNOWN_ID', message }
  }
  const ids = (await nearestIds(snapshot, id, scope)).map((near) => JSON.stringify(near)).join(', ')
  return { code: 'UNKNOWN_ID', message: `There is no node ${quoted(id)}.${ids ? ` Nearest ids: ${ids}.` : ''}` }
}

async function namesFolder(snapshot: Snapshot, name: string): Promise<boolean> {
  return trimFolder(name) !== '' && (await isFolder(snapshot, name))
}

async function nearestIds(snapshot: Snapshot, id: string, scope: Scope = {}): Promise<readonly NodeId[]> {
  const [near = []] = await snapshot.names([nameOf(id)], 'similar', scope, { limit: MAX_SIMILAR, minimum: MIN_SIMILARITY })
  return near.map((hit) => hit.id)
}

/** Common file systems limit a name to this many bytes. */
const MAX_NAME_LENGTH = 255

function nameOf(id: string): string {
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replace(/\.md$/i, '')
    .slice(0, MAX_NAME_LENGTH)
}

export interface NamedExactly {
  readonly ownVault: readonly NodeId[]
  readonly all: readonly NodeId[]
}

/** Finds nodes by name. If no title, alias or id matches exactly, accents and punctuation are ignored. */
export async function namedExactly(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  input: string,
  scope: Scope = {},
): Promise<NamedExactly> {
  const name = input.trim()
  if (name === '') return { ownVault: [], all: [] }
  const [[equal = []], [plain = []], ids] = await Promise.all([
    snapshot.names([name], 'equal', scope),
    snapshot.names([name], 'plain', scope),
    noteWithId(snapshot, core, name, scope),
  ])
  const matches = equal.length > 0 ? equal : plain
  const toIds = (hits: typeof matches): readonly NodeId[] => [...hits.map(({ id }) => id), ...ids]
  return { ownVault: toIds(ownNames(matches)), all: toIds(matches) }
}

async function noteWithId(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  name: string,
  scope: Scope,
): Promise<readonly NodeId[]> {
  const [id] = await lookUp(snapshot, core, [name])
  if (id === undefined || (scope.note !== undefined && scope.note !== id)) return []
  const { items } = await snapshot.select({ ...scope, note: id }, { offset: 0, limit: 1 })
  return items.map((item) => item.id)
}

export function nodesExist(
  core: GraphCore,
  ids: readonly string[],
  call: Call = {},
): Promise<Answer<Readonly<Record<string, boolean>>>> {
  return answer(core, call, async (snapshot) => {
    const known = await findIds(snapshot, core, ids)
    return plain(
      Object.fromEntries(ids.map((id, index) => [known[index] ?? toNodeId(foldId(id), core.name), known[index] !== undefined])),
    )
  })
}
