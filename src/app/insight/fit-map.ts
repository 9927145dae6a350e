import { countInTurn, type Fitted, jsonBytes, nonZero, Purse } from '../answer/budget.ts'
import type { VaultMap } from './map.ts'

/** Shares of the budget. Communities leave room for their details, and the details leave room for the connections. */
const SHARES = { communities: 0.6, keys: 0.85 }
/** Maximum number of connections. The first ones are the most informative. */
const BRIDGES = 12

/**
 * Fits a map into a budget: the communities with their labels and words, largest first, then their key notes in turn, then the
 * connections between the communities shown, and finally their folders. Does not necessarily use the whole budget.
 */
export function fitMap(map: VaultMap, room: number): Fitted<VaultMap> {
  const purse = new Purse(room)
  purse.spend(jsonBytes({ ...map, communities: [], between: [] }))
  const bare = map.communities.map((row) => ({ ...row, key: [], folders: [] }))
  const [count] = countInTurn([bare], purse, { share: SHARES.communities, least: 1 })
  const rows = map.communities.slice(0, count)
  const keys = countInTurn(
    rows.map(({ key }) => key),
    purse,
    { share: SHARES.keys },
  )
  const ids = new Set(rows.map(({ id }) => id))
  const bridges = map.between.filter(({ of }) => of.every((id) => ids.has(id))).slice(0, BRIDGES)
  const between = bridges.slice(0, countInTurn([bridges], purse)[0])
  const withFolders = countInTurn(
    rows.map(({ folders }) => [folders]),
    purse,
    { bytesOf: (folders) => jsonBytes(folders) - '[]'.length },
  )
  const communities = rows.map((row, at) => ({
    ...row,
    key: row.key.slice(0, keys[at]),
    folders: withFolders[at] === 1 ? row.folders : [],
  }))
  const lost = (name: 'key' | 'folders') =>
    rows.reduce((sum, row, at) => sum + row[name].length - (communities[at]?.[name].length ?? 0), 0)
  const omitted = nonZero({
    communities: map.communities.length - rows.length,
    between: map.between.length - between.length,
    key: lost('key'),
    folders: lost('folders'),
  })
  return { value: { ...map, communities, between }, omitted }
}
