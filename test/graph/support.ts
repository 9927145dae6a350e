import fc from 'fast-check'
import { toVaultPath } from '../../src/core/ids.ts'
import type { GraphRow } from '../../src/graph/graph.ts'

/** A note without links and tags. */
export function noteRow(key: number, path: string, more: Partial<GraphRow> = {}): GraphRow {
  return {
    key,
    path: toVaultPath(path),
    kind: 'note',
    excluded: false,
    archived: false,
    conflict: false,
    title: path,
    aliases: [],
    tags: [],
    targets: new Int32Array(0),
    missing: [],
    problems: [0, 0, 0, 0],
    ...more,
  }
}

/** Ten files that are added, changed and removed (`path` is undefined) in any order. */
export const anyRows = fc.array(
  fc
    .record({
      key: fc.nat(9),
      folder: fc.constantFrom('', 'x/', 'X/', 'x/y/', 'x/y/z/', 'A/b/'),
      kind: fc.constantFrom('note', 'attachment'),
      excluded: fc.boolean(),
      archived: fc.boolean(),
      isGone: fc.boolean(),
      tags: fc.subarray(['plant', 'Plant', 'plant/shrub', 'PLANT/Shrub', 'x/y/z']),
    })
    .map(({ key, folder, kind, isGone, ...more }) => ({
      ...noteRow(key, `${folder}${key}.md`, { ...more, kind: kind as GraphRow['kind'] }),
      ...(isGone ? { path: undefined } : {}),
    })),
  { maxLength: 40 },
)

interface RowIndex {
  add(row: GraphRow): void
  remove(row: GraphRow): void
}

/** Applies all rows to one index, and only the surviving rows to a new one. */
export function applyTwice<T extends RowIndex>(make: () => T, rows: readonly GraphRow[]): readonly [grown: T, fresh: T] {
  const grown = make()
  const known = new Map<number, GraphRow>()
  for (const row of rows) {
    const before = known.get(row.key)
    if (before !== undefined) grown.remove(before)
    known.delete(row.key)
    if (row.path === undefined) continue
    known.set(row.key, row)
    grown.add(row)
  }
  const fresh = make()
  for (const row of known.values()) fresh.add(row)
  return [grown, fresh]
}
