import type { NodeId } from '../../core/ids.ts'
import type { Snapshot } from '../../core/store.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore, Warning } from '../graph-core.ts'
import { lookUpKinds, unknownIdWarning } from './known-node.ts'
import { ownNames } from './own-names.ts'

/** The nodes that arguments mean, and what is to be said of that. */
export interface Meant {
  readonly ids: readonly (NodeId | undefined)[]
  readonly warnings: readonly Warning[]
}

/** Titles that are told where several notes have the one that was given. */
const TOLD = 5

/**
 * The nodes that arguments mean, in order: by their ids, else by a title, alias or file name that one note alone has, which is said; an answer
 * that names the note itself need not say so. What means none, or several, is `undefined`, and said. `withMissing`: also what is only linked to.
 */
export async function findMeant(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  written: readonly string[],
  { withMissing }: { readonly withMissing: boolean },
): Promise<Meant> {
  const byId = await lookUpKinds(snapshot, core, written)
  const known = byId.map((found) => (found === undefined || (found.kind === 'missing' && !withMissing) ? undefined : found.id))
  const open = written.filter((_, at) => known[at] === undefined)
  if (open.length === 0) return { ids: known, warnings: [] }
  const hits = await snapshot.names(
    open.map((name) => name.trim()),
    'equal',
    { kinds: ['note', 'canvas'] },
  )
  const named = new Map(open.map((name, at) => [name, ownNames(hits[at] ?? [])]))
  const warnings = await Promise.all(
    [...named].map(async ([name, found]): Promise<Warning> => {
      const [only] = found
      if (only === undefined) return await unknownIdWarning(snapshot, name)
      const ids = found.slice(0, TOLD).map(({ id }) => quoted(id))
      return found.length === 1
        ? { code: 'NOTICE', message: `${quoted(name)} is the note ${ids[0]}.` }
        : {
            code: 'UNKNOWN_ID',
            message: `${found.length} notes are called ${quoted(name)}: give the id of one, such as ${ids.join(', ')}.`,
          }
    }),
  )
  const ids = written.map((name, at) => {
    const found = named.get(name) ?? []
    return known[at] ?? (found.length === 1 ? found[0]?.id : undefined)
  })
  return { ids, warnings }
}
