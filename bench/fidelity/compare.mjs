// Compares the bytes on disk with the original; files are strings with one character per byte.

function commonPrefix(one, other, limit) {
  let length = 0
  while (length < limit && one[length] === other[length]) length++
  return length
}

function commonSuffix(one, other, limit) {
  let length = 0
  while (length < limit && one[one.length - 1 - length] === other[other.length - 1 - length]) length++
  return length
}

/**
 * Counts the bytes before `start` and after `end` that changed, and returns the text in between.
 * @returns `{outside, middle}`
 */
export function compareRange(before, after, { start, end }) {
  const tail = before.length - end
  const prefix = commonPrefix(before, after, Math.min(start, after.length))
  const suffix = commonSuffix(before, after, Math.min(tail, Math.max(0, after.length - prefix)))
  const outside = start - prefix + (tail - suffix)
  return { outside, middle: outside === 0 ? after.slice(start, after.length - tail) : '' }
}

/**
 * Finds the single inserted range, aligned to the start of a line if possible.
 * @returns `{outside, at, inserted}`; `outside` counts the bytes that did not stay.
 */
export function compareInsertion(before, after) {
  const prefix = commonPrefix(before, after, Math.min(before.length, after.length))
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix)
  const outside = before.length - prefix - suffix
  const length = after.length - before.length
  let at = prefix
  while (at > 0 && length > 0 && after[at - 1] !== '\n' && after[at - 1] === after[at + length - 1]) at--
  return { outside, at, inserted: after.slice(at, at + length) }
}
