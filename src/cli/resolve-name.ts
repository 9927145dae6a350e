import { RouxError } from '../core/errors.ts'
import type { Store } from '../core/store.ts'

/** The parameters whose value names one node. */
const NAMING = ['id', 'source', 'target', 'note']

/** Tools whose `id` is a path that is no note yet, or none any more. */
const NEW_PATHS: ReadonlySet<string> = new Set(['create_node', 'restore_node'])

/**
 * The arguments with titles and aliases replaced by the ids of their notes: people know those, tools take ids only.
 * What names nothing stays as it is, so that the tool says so.
 * @throws RouxError `AMBIGUOUS_NAME` where a name fits several notes and no id.
 */
export async function resolveNames(
  store: Store,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const resolved: Record<string, unknown> = { ...args }
  for (const name of NEW_PATHS.has(tool) ? [] : NAMING) {
    const value = args[name]
    if (typeof value === 'string' && !(TAKE_FOLDERS.has(tool) && (await isFolder(store, value))))
      resolved[name] = await resolveName(store, value)
  }
  return resolved
}

async function resolveName(store: Store, name: string): Promise<string> {
  if (await isNode(store, name)) return name
  const hits = await store.named(name, {})
  const [hit] = hits
  if (hit === undefined) return name
  if (hits.length === 1) return hit.id
  const ids = hits.map(({ id }) => id)
  throw new RouxError('AMBIGUOUS_NAME', `"${name}" is the name of ${hits.length} notes.`, {
    hint: `Give the id of one: ${ids.map((id) => `"${id}"`).join(', ')}`,
    candidates: ids,
  })
}

/** Tools whose `id` may be a folder, which goes before a note of that title. */
const TAKE_FOLDERS: ReadonlySet<string> = new Set(['move_node', 'add_attachment', 'list_changes'])

async function isFolder(store: Store, path: string): Promise<boolean> {
  const trimmed = path.replace(/^\/+|\/+$/g, '')
  return (await store.tree(trimmed, { depth: 1, limit: 1, includeArchived: true })) !== undefined
}

/** Whether an id fits something that is there; a missing target's id is only a name that others link to. */
async function isNode(store: Store, name: string): Promise<boolean> {
  const [id] = await store.lookup([name])
  if (id === undefined) return false
  const [node] = await store.nodes([id], { links: 0 })
  return node !== undefined && node.kind !== 'missing'
}
