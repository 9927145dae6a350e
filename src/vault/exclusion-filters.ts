import { createContext, Script } from 'node:vm'
import { foldId } from '../core/ids.ts'
import { type FileSystem, readSmallText } from './file-system.ts'

/** The vault's own `userIgnoreFilters`: what they match stays in the vault, but is kept out of lists, search and graph. */
export interface ExclusionFilters {
  /** Which of these paths the filters match, in order; reads `.obsidian/app.json` again when it changed. */
  excludes(paths: readonly string[]): readonly boolean[]
}

/** Opens the filters of a vault; a broken file or expression is as good as none. */
export function openExclusionFilters(root: string, fs: FileSystem): ExclusionFilters {
  const file = `${root}/.obsidian/app.json`
  let stamp: string | undefined
  let filters: readonly Filter[] = []
  return {
    excludes(paths) {
      const now = stampOf(fs, file)
      if (now !== stamp) {
        stamp = now
        filters = now === undefined ? [] : parseFilters(readSmallText(fs, file) ?? '')
      }
      return filters.length === 0 ? paths.map(() => false) : matchAny(filters, paths)
    },
  }
}

interface Filter {
  /** Which paths match; one that is not done by the deadline matches nothing, now and later. */
  matches(paths: readonly string[], deadline: number): readonly boolean[]
}

function matchAny(filters: readonly Filter[], paths: readonly string[]): readonly boolean[] {
  const excluded = paths.map(() => false)
  const deadline = performance.now() + TIME_FOR_ALL
  for (const filter of filters) {
    filter.matches(paths, deadline).forEach((hit, i) => {
      if (hit) excluded[i] = true
    })
  }
  return excluded
}

function stampOf(fs: FileSystem, file: string): string | undefined {
  try {
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    return stat && `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`
  } catch {
    return undefined
  }
}

const MAX_FILTERS = 200

function parseFilters(text: string): readonly Filter[] {
  return filtersIn(text)
    .slice(0, MAX_FILTERS)
    .map((filter) => compileFilter(filter))
    .filter((filter) => filter !== undefined)
}

function filtersIn(text: string): readonly string[] {
  try {
    const settings = JSON.parse(text.replace(/^\uFEFF/, '')) as { userIgnoreFilters?: unknown } | null
    const filters = settings?.userIgnoreFilters
    return Array.isArray(filters) ? filters.filter((filter) => typeof filter === 'string' && filter !== '') : []
  } catch {
    return []
  }
}

function compileFilter(filter: string): Filter | undefined {
  if (filter.length <= 2 || !filter.startsWith('/') || !filter.endsWith('/')) {
    const prefix = foldId(filter)
    return { matches: (paths) => paths.map((path) => foldId(path).startsWith(prefix)) }
  }
  try {
    return guarded(new RegExp(filter.slice(1, -1), 'i'))
  } catch {
    return undefined
  }
}

const TIME_FOR_ONE = 250
const TIME_FOR_ALL = 750

/**
 * A vault may come from a stranger, and one expression such as `(a+)+$` can run for ever. Telling those apart by their look
 * refuses good ones and misses bad ones, so all may run, but inside a script that V8 stops when its time is up (this
 * costs 0.15 ms a call, for all paths together); the expression is then as good as broken.
 */
function guarded(expression: RegExp): Filter {
  const scope = createContext({ expression, paths: [] as readonly string[], hits: [] as readonly boolean[] })
  const script = new Script('hits = paths.map((path) => expression.test(path))')
  let isBroken = false
  return {
    matches(paths, deadline) {
      if (isBroken || paths.length === 0) return []
      try {
        scope.paths = paths.map((path) => path.normalize('NFC'))
        const left = Math.ceil(deadline - performance.now())
        script.runInContext(scope, { timeout: Math.max(1, Math.min(TIME_FOR_ONE, left)) })
        return scope.hits as readonly boolean[]
      } catch {
        isBroken = true
        return []
      }
    },
  }
}
