import { createContext, Script } from 'node:vm'
import { foldId } from '../core/ids.ts'
import { parseJson, quietly } from '../core/quietly.ts'
import { type FileSystem, readSmallText } from './file-system.ts'

/** The vault's `userIgnoreFilters` in Obsidian. Excluded files stay out of lists, search and graph. */
export interface ExclusionFilters {
  excludes(paths: readonly string[]): readonly boolean[]
}

/**
 * Invalid expressions exclude nothing. While the settings file is unreadable, the previous filters apply, because an editor may
 * be saving it.
 */
export function openExclusionFilters(root: string, fs: FileSystem): ExclusionFilters {
  const file = `${root}/.obsidian/app.json`
  let stamp: string | undefined
  let filters: Filters = NO_FILTERS
  return {
    excludes(paths) {
      const now = stampOf(fs, file)
      if (now !== stamp) {
        stamp = now
        const texts = now === undefined ? [] : filtersIn(readSmallText(fs, file))
        if (texts !== undefined) filters = new Filters(texts)
      }
      return filters.excludes(paths)
    },
  }
}

function stampOf(fs: FileSystem, file: string): string | undefined {
  return quietly(() => {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat && `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`
  })
}

function filtersIn(text: string | undefined): readonly string[] | undefined {
  const settings = parseJson((text ?? '').replace(/^\uFEFF/, '')) as { userIgnoreFilters?: unknown } | null | undefined
  if (settings === undefined) return undefined
  const filters = settings?.userIgnoreFilters
  return Array.isArray(filters) ? filters.filter((filter) => typeof filter === 'string' && filter !== '') : []
}

const MAX_FILTERS = 1000
/** The maximum number of timeouts. After more, everything is excluded. */
const MAX_TIMEOUTS = 10

class Filters {
  readonly #prefixes: readonly string[]
  readonly #expressions: readonly GuardedExpression[]
  /** The paths that caused a timeout. They are excluded to be safe. */
  readonly #timedOut = new Set<string>()
  #excludesAll = false

  constructor(filters: readonly string[]) {
    const usedFilters = filters.slice(0, MAX_FILTERS)
    const isExpression = (filter: string) => filter.length > 2 && filter.startsWith('/') && filter.endsWith('/')
    this.#prefixes = usedFilters.filter((filter) => !isExpression(filter)).map(foldId)
    this.#expressions = usedFilters.filter(isExpression).flatMap((filter) => compile(filter.slice(1, -1)) ?? [])
  }

  excludes(paths: readonly string[]): readonly boolean[] {
    const excluded = paths.map((path) => {
      if (this.#excludesAll || this.#timedOut.has(path)) return true
      const folded = foldId(path)
      return this.#prefixes.some((prefix) => folded.startsWith(prefix))
    })
    if (this.#expressions.length > 0) this.#match(paths, excluded)
    return excluded
  }

  #match(paths: readonly string[], excluded: boolean[]): void {
    const names = paths.map((path) => path.normalize('NFC'))
    for (const expression of this.#expressions) {
      for (let at = 0; !this.#excludesAll && at < paths.length; at++) {
        at = expression.match(names, excluded, at)
        const path = paths[at]
        if (path === undefined) break
        excluded[at] = true
        this.#timedOut.add(path)
        this.#excludesAll = this.#timedOut.size > MAX_TIMEOUTS
      }
    }
    if (this.#excludesAll) excluded.fill(true)
  }
}

const NO_FILTERS = new Filters([])

interface GuardedExpression {
  /**
   * Sets `excluded` for matching names from index `from`.
   * @returns the index of the name that caused a timeout, or the number of names
   */
  match(names: readonly string[], excluded: boolean[], from: number): number
}

/** The time limit in milliseconds. Matching a name normally takes microseconds. */
const TIME_LIMIT = 50
/** The time limit of the second attempt. The first timeout may be due to a busy or suspended computer. */
const SECOND_TIME_LIMIT = 250

/**
 * Compiles an expression. Untrusted vaults may contain expressions such as `(a+)+$`, so each one runs in a script that V8 can
 * interrupt. A call tests all names and costs 0.15 ms.
 */
function compile(source: string): GuardedExpression | undefined {
  try {
    const state = { expression: new RegExp(source, 'i'), names: [] as readonly string[], excluded: [] as boolean[], at: 0 }
    const context = createContext({ state })
    const script = new Script(`
      for (const { expression, names, excluded } = state; state.at < names.length; state.at++)
        if (!excluded[state.at]) excluded[state.at] = expression.test(names[state.at])`)
    const isDone = (timeout: number): boolean =>
      quietly(() => {
        script.runInContext(context, { timeout })
        return true
      }) ?? false
    return {
      match(names, excluded, from) {
        Object.assign(state, { names, excluded, at: from })
        for (let stuckAt = -1; !isDone(state.at === stuckAt ? SECOND_TIME_LIMIT : TIME_LIMIT); stuckAt = state.at) {
          if (state.at === stuckAt) break
        }
        return state.at
      },
    }
  } catch {
    return undefined
  }
}
