import { pathOf, spelledId } from '../../app/answer/node-response.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import type { NodeId } from '../../core/ids.ts'
import { isRecord } from '../../core/is-record.ts'

/** Members whose ids stay as they are. */
const NOT_SEARCHED: ReadonlySet<string> = new Set(['properties', 'arguments', 'hops', 'draft'])

/** Members with ids that have no title. Each id may end with `#` and a part of the note. */
const SPELLED: ReadonlySet<string> = new Set(['candidates', 'nearest'])

type FindPath = (id: string) => string | undefined

/**
 * Adds the path of each file whose spelling on disk differs from its id, for programs that open files. `id` and `match` get
 * `path`, `from` and `to` get `from_path` and `to_path`, and a `path` of ids gets `paths`. Ids in `candidates` and `nearest` are
 * replaced. The `links` of a note get no paths, which would make lists much longer.
 */
export async function withPaths<V>(answer: Answer<V>, core: GraphCore, signal: AbortSignal | undefined): Promise<Answer<V>> {
  const paths = new Map<string, string>(answer.paths)
  const unknown = new Set<NodeId>()
  const pathFor: FindPath = (id) => {
    const path = paths.get(id)
    if (path === undefined) unknown.add(id as NodeId)
    return pathOf({ id, path }).path
  }
  const value = addPaths(answer.value, pathFor) as V
  if (unknown.size === 0) return { ...answer, value }
  const versions = await core.store.read((snapshot) => snapshot.versions([...unknown]), signal)
  for (const file of versions) if (file !== undefined) paths.set(file.id, file.path)
  return { ...answer, value: addPaths(answer.value, pathFor) as V }
}

function addPaths(value: unknown, find: FindPath): unknown {
  if (Array.isArray(value)) return value.map((item) => addPaths(item, find))
  if (!isRecord(value)) return value
  const isLink = typeof value.from === 'string' && typeof value.to === 'string'
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const isSearched = !NOT_SEARCHED.has(key) && !(key === 'links' && Array.isArray(member))
      const added = addedMember(key, member, { isLink, find })
      const isNew = added !== undefined && !(added[0] in value)
      const withPaths = SPELLED.has(key) ? spelled(member, find) : isSearched ? addPaths(member, find) : member
      return [[key, withPaths], ...(isNew ? [added] : [])]
    }),
  )
}

function spelled(value: unknown, find: FindPath): unknown {
  if (Array.isArray(value)) return value.map((item) => spelled(item, find))
  if (typeof value !== 'string') return addPaths(value, find)
  const part = value.indexOf('#')
  const [id, rest] = part < 0 ? [value, ''] : [value.slice(0, part), value.slice(part)]
  const path = find(id)
  return path === undefined ? value : spelledId(id, path) + rest
}

function addedMember(
  key: string,
  ids: unknown,
  { isLink, find }: { readonly isLink: boolean; readonly find: FindPath },
): readonly [name: string, value: unknown] | undefined {
  if (typeof ids === 'string') {
    const name = key === 'id' || key === 'match' ? 'path' : isLink && (key === 'from' || key === 'to') ? `${key}_path` : undefined
    const path = name === undefined ? undefined : find(ids)
    return name === undefined || path === undefined ? undefined : [name, path]
  }
  if (key !== 'path' || !Array.isArray(ids)) return undefined
  const paths = ids.map((id) => find(String(id)))
  return paths.some((path) => path !== undefined) ? ['paths', ids.map((id, at) => paths[at] ?? id)] : undefined
}
