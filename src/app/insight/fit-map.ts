import { Budget, countInTurn, type Fitted, isLeftOut, jsonBytes, listShown, nonZero, SEPARATOR } from '../answer/budget.ts'
import type { CommunityRow, VaultMap } from './map.ts'

/** A map that fits a budget. A list without room for any item is left out. */
export type ShownMap = Omit<VaultMap, 'communities' | 'between'> &
  Partial<Pick<VaultMap, 'between'>> & { readonly communities?: readonly ShownCommunity[] }
type ShownCommunity = Omit<CommunityRow, 'key' | 'folders'> & Partial<Pick<CommunityRow, 'key' | 'folders'>>

/**
 * Share of the budget that may be used up after each step: catalogues, communities, and key notes. The rest is for connections.
 */
const SHARES = { catalogues: 0.3, communities: 0.6, keys: 0.85 }
/** Maximum number of connections to show, the most important ones. */
const MAX_BRIDGES = 12

/**
 * Fits a map into a budget. First adds the largest catalogues, then the largest communities with their labels and words, then the
 * key notes of all communities in turn, then the connections between the communities shown, and finally their folders. May leave
 * part of the budget unused.
 */
export function fitMap(map: VaultMap, room: number): Fitted<ShownMap> {
  const budget = new Budget(room)
  const all = map.catalogues ?? []
  budget.spend(jsonBytes({ ...map, catalogues: [], communities: [], between: [] }))
  const catalogues = all.slice(0, countInTurn([all], budget, { share: SHARES.catalogues, minItems: 1 })[0])
  const bare = map.communities.map(({ key, folders, ...row }) => ({
    ...row,
    ...listShown('key', key, []),
    ...listShown('folders', folders, []),
  }))
  const [count] = countInTurn([bare], budget, { share: SHARES.communities, minItems: catalogues.length > 0 ? 0 : 1 })
  const rows = map.communities.slice(0, count)
  const keys = countInTurn(
    rows.map(({ key }) => key.map((note, at) => ({ note, isFirst: at === 0 }))),
    budget,
    { share: SHARES.keys, bytesOf: ({ note, isFirst }) => jsonBytes(note) + (isFirst ? ',"key":[]'.length : SEPARATOR) },
  )
  const ids = new Set(rows.map(({ id }) => id))
  const connecting = map.between.filter(({ of }) => of.every((id) => ids.has(id)))
  const bridges = connecting.slice(0, MAX_BRIDGES)
  const between = bridges.slice(0, countInTurn([bridges], budget)[0])
  const withFolders = countInTurn(
    rows.map(({ folders }) => [folders]),
    budget,
    { bytesOf: (folders) => jsonBytes({ folders }) - '{}'.length + SEPARATOR },
  )
  const communities = rows.map(({ key, folders, ...row }, at) => ({
    ...row,
    ...listShown('key', key, key.slice(0, keys[at])),
    ...listShown('folders', folders, withFolders[at] === 1 ? folders : []),
  }))
  const omittedOf = (name: 'key' | 'folders') =>
    rows.reduce((sum, row, at) => sum + row[name].length - (communities[at]?.[name]?.length ?? 0), 0)
  const capped = nonZero({ between: connecting.length - bridges.length })
  const omitted = nonZero({
    catalogues: all.length - catalogues.length,
    communities: map.communities.length - rows.length,
    between: map.between.length - between.length - (capped.between ?? 0),
    key: omittedOf('key'),
    folders: omittedOf('folders'),
  })
  const { communities: _, between: __, ...facts } = map
  return {
    value: {
      ...facts,
      ...(all.length === 0 ? {} : { catalogues }),
      ...(isLeftOut(map.communities, communities) ? {} : { communities }),
      ...listShown('between', map.between, between),
    },
    omitted,
    capped,
  }
}
