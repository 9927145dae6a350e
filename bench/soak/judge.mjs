// Decides what a soak test has shown. The functions are pure, so a test can prove that each of them finds a fault.

/**
 * The memory at rest may exceed that of the first quarter by this much, because allocators keep varying amounts of free memory.
 */
const GROWTH = { share: 1.1, megabytes: 8 }
/**
 * This many additional handles of a file or kind do not count as a leak, because SQLite closes a handle only when no other
 * connection has a lock on its file.
 */
const SPARE_HANDLES = 2

/**
 * Returns what is wrong. Each quarter has, at rest: `resident` (MB), `handles` (numbers by kind), `watches` and `folders` (inodes that are
 * watched, and that a fresh server watches), `differences` (between answers and those of a fresh index), `cache` (where the index is).
 */
export function faultsOf(quarters) {
  const [first, ...later] = quarters
  if (first === undefined) return ['no quarter came to its end']
  return [
    ...later.flatMap((quarter, at) => grown(first, quarter, `quarter ${at + 2}`)),
    ...later.flatMap((quarter, at) => lostHandles(first.handles, quarter.handles, `quarter ${at + 2}`)),
    ...quarters.flatMap((quarter, at) => ofQuarter(quarter, `quarter ${at + 1}`)),
  ]
}

function grown(first, { resident }, when) {
  const most = first.resident * GROWTH.share + GROWTH.megabytes
  return resident <= most
    ? []
    : [`${when}: ${resident.toFixed(0)} MB at rest, after ${first.resident.toFixed(0)} MB in the first`]
}

function lostHandles(before, now, when) {
  return [...now].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0)
    return more > SPARE_HANDLES ? [`${when}: ${more} more open of ${kind}`] : []
  })
}

function ofQuarter({ watches, folders, differences, cache }, when) {
  const [lost, left] = [without(folders, watches), without(watches, folders)]
  return [
    ...(lost.length === 0 ? [] : [`${when}: ${lost.length} of ${folders.length} folders are not watched`]),
    ...(left.length === 0 ? [] : [`${when}: ${left.length} watches of what is no longer there, or double`]),
    ...(cache === 'disk' ? [] : [`${when}: the index did not return to the disk`]),
    ...differences.map((difference) => `${when}: ${difference}`),
  ]
}

/** Returns `some` with one equal element removed for each element of `others`. */
function without(some, others) {
  const counts = new Map()
  for (const one of others) counts.set(one, (counts.get(one) ?? 0) + 1)
  return some.filter((one) => {
    const count = counts.get(one) ?? 0
    counts.set(one, count - 1)
    return count <= 0
  })
}
