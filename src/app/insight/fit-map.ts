import { type Fitted, jsonBytes, Purse } from '../answer/budget.ts'
import type { BridgeRow, CommunityRow, VaultMap } from './map.ts'

const SEPARATOR = 1
/** Shares of the budget: communities leave room for their facts, and those for the connections between them. */
const SHARES = { communities: 0.6, keys: 0.85 }
/** The first connections say most. */
const BRIDGES = 12

interface Draft {
  readonly row: CommunityRow
  /** Key notes shown. */
  key: number
  hasFolders: boolean
}

/**
 * A map within a budget: each community with its label and words, the largest first; then the key notes of each, one after the other; then what
 * lies between those that are shown, and where their notes lie. Most of the budget may be left: the rest is not asked for.
 */
export function fitMap(map: VaultMap, room: number): Fitted<VaultMap> {
  const purse = new Purse(room)
  const { community, ...around } = map
  const own = community && { row: community, key: community.key.length, hasFolders: true }
  purse.spend(jsonBytes({ ...around, ...(own && { community: shownRow(own) }), communities: [], between: [] }))
  const drafts: Draft[] = []
  for (const row of map.communities) {
    const draft = { row, key: 0, hasFolders: false }
    const bytes = jsonBytes(shownRow(draft)) + SEPARATOR
    if (bytes > purse.left(SHARES.communities) && drafts.length > 0) break
    purse.spend(bytes)
    drafts.push(draft)
  }
  showKeys(drafts, purse)
  const between = shownBridges(map.between, { drafts, purse })
  for (const draft of drafts) {
    const bytes = jsonBytes(draft.row.folders) - '[]'.length
    if (bytes > purse.left()) continue
    purse.spend(bytes)
    draft.hasFolders = true
  }
  const communities = drafts.map(shownRow)
  return { value: { ...map, communities, between }, omitted: omittedOf(map, { communities, between }) }
}

/** One key note of each community after the other, the largest first. */
function showKeys(drafts: readonly Draft[], purse: Purse): void {
  let open = drafts
  while (open.length > 0) {
    open = open.filter((draft) => {
      const note = draft.row.key[draft.key]
      const bytes = note === undefined ? Number.POSITIVE_INFINITY : jsonBytes(note) + SEPARATOR
      if (bytes > purse.left(SHARES.keys)) return false
      purse.spend(bytes)
      draft.key++
      return true
    })
  }
}

function shownBridges(
  between: VaultMap['between'],
  { drafts, purse }: { readonly drafts: readonly Draft[]; readonly purse: Purse },
): readonly BridgeRow[] {
  const ids = new Set(drafts.map(({ row }) => row.id))
  const shown: BridgeRow[] = []
  for (const bridge of between.filter(({ of }) => of.every((id) => ids.has(id))).slice(0, BRIDGES)) {
    const bytes = jsonBytes(bridge) + SEPARATOR
    if (bytes > purse.left()) break
    purse.spend(bytes)
    shown.push(bridge)
  }
  return shown
}

function shownRow({ row, key, hasFolders }: Draft): CommunityRow {
  return { ...row, key: row.key.slice(0, key), folders: hasFolders ? row.folders : [] }
}

function omittedOf(map: VaultMap, shown: Pick<VaultMap, 'communities' | 'between'>): Readonly<Record<string, number>> {
  const rows = map.communities.slice(0, shown.communities.length)
  const lost = (name: 'key' | 'folders') =>
    rows.reduce((sum, row, at) => sum + row[name].length - (shown.communities[at]?.[name].length ?? 0), 0)
  const counts = {
    communities: map.communities.length - shown.communities.length,
    between: map.between.length - shown.between.length,
    key: lost('key'),
    folders: lost('folders'),
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
