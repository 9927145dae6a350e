type Matches<T> = (item: T) => boolean
/** Stands for any number of items. */
const ANY = 'any'
type Part<T> = Matches<T> | typeof ANY

/**
 * Compiles a glob to a matcher of paths whose time grows with pattern times path, however many stars there are: `*`, `?`, `[a-z]`,
 * `[!a-z]`, `\*` and folders `**`. Everything else stands for itself.
 */
export function linearGlob(pattern: string, nocase: boolean): Matches<string> {
  const segments = pattern.split('/').flatMap((segment, i, all): readonly Part<string>[] => {
    // As in git, `f/**` is what is in the folder, not the folder.
    if (segment === '**') return i > 0 && i === all.length - 1 ? [() => true, ANY] : [ANY]
    const parts = partsOf(segment, nocase)
    return [(name) => matchesAll(parts, name)]
  })
  return (path) => matchesAll(segments, path.split('/'))
}

/**
 * Whether the parts match all items, one each or `ANY`. Only the last `ANY` grows: earlier ones already took as little
 * as possible.
 */
function matchesAll<T>(parts: readonly Part<T>[], items: ArrayLike<T>): boolean {
  let part = 0
  let at = 0
  let last = -1
  let lastEnd = 0
  while (at < items.length) {
    const next = parts[part]
    if (next === ANY) {
      last = part++
      lastEnd = at
    } else if (next?.(items[at] as T)) {
      part++
      at++
    } else if (last !== -1) {
      part = last + 1
      at = ++lastEnd
    } else return false
  }
  while (parts[part] === ANY) part++
  return part === parts.length
}

/** A star, an escaped character, a class or a single character. A class has an end, or each `[` would be followed to the pattern's. */
const PART = /\*+|\\.|\[[!^]?\]?[^\]]{0,200}\]|./gs

function partsOf(segment: string, nocase: boolean): readonly Part<string>[] {
  return (segment.match(PART) ?? []).flatMap((text): readonly Part<string>[] => {
    if (text.startsWith('*')) return [ANY]
    if (text === '?') return [() => true]
    if (text.length > 2) return [oneOf(text, nocase) ?? (() => false)]
    return [literal(text.slice(-1), nocase)]
  })
}

function literal(wanted: string, nocase: boolean): Matches<string> {
  const folded = wanted.toLowerCase()
  return nocase ? (c) => c.toLowerCase() === folded : (c) => c === wanted
}

function oneOf(text: string, nocase: boolean): Matches<string> | undefined {
  const body = text.slice(1, -1).replace(/^!/, '^').replace(/[[\]]/g, '\\$&')
  try {
    const expression = new RegExp(`[${body}]`, nocase ? 'i' : '')
    return (c) => expression.test(c)
  } catch {
    return undefined
  }
}
