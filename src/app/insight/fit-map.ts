import { countInTurn, type Fitted, jsonBytes, nonZero, Purse } from '../answer/budget.ts'
import type { VaultMap } from './map.ts'

/** Shares of the budget: communities leave room for their facts, and those for the connections between them. */
const SHARES = { communities: 0.6, keys: 0.85 }
/** The first connections say most. */
const BRIDGES = 12

/**
 * A map within a budget: each community with its label and words, the largest first; then the key notes of each, one after the other; then what
 * lies between those that are shown, and where their notes lie. Most of the budget may be left: the rest is not asked for.
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
