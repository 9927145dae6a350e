import type { Mode } from '../core/note.ts'
import { quietly } from '../core/quietly.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { diskFileSystem, type FileSystem, readSmallText } from './file-system.ts'
import { markerOf } from './vault-root.ts'

const ANY = 'any'

/** The length of classes is limited, because each `[` could otherwise require a scan to the end. */
const PART = /\*+|\\.|\[[!^]?\]?(?:\\.|[^\]\\]){0,200}\]|./gs

export interface IgnoreOptions {
  /** Globs for vault-relative paths. They also apply to parent folders. */
  readonly ignore: readonly string[]
  /** If true, `.gitignore` files in the vault are respected, but not those above it. */
  readonly gitignore: boolean
  readonly mode: 'auto' | Mode
}

export interface FolderRules {
  hides(name: string, isFolder: boolean): boolean
  /** Returns the rules of a subfolder. @param hasGitignore saves a lookup if known */
  enter(name: string, hasGitignore?: boolean): FolderRules
}

export interface IgnoreRules {
  atRoot(hasGitignore?: boolean): FolderRules
  hides(path: string, isFolder: boolean): boolean
}

/** Returns true for names that are hidden in every vault. */
export function isHiddenName(name: string): boolean {
  return name.charCodeAt(0) === 46 || name === 'node_modules'
}

export function openIgnoreRules(root: string, options: IgnoreOptions, fs: FileSystem): IgnoreRules {
  const hidesByGlob = matchAny(options.ignore, fs.rules.folds)
  const gitignores = options.gitignore ? new Gitignores(root, fs) : undefined

  const rulesOf = (
    folder: string,
    above: readonly GitRule[],
    logseq: boolean,
    hasGitignore: boolean | undefined,
  ): FolderRules => {
    const folderRules = hasGitignore === false ? undefined : gitignores?.in(folder)
    const chain = folderRules ? [...folderRules, ...above] : above
    const prefix = folder === '' ? '' : `${folder}/`
    return {
      hides(name, isFolder) {
        if (isHiddenName(name)) return true
        if (logseq && folder === 'logseq' && name === 'bak') return true
        const path = prefix + name
        return hidesByGlob(path, isFolder) || (chain.length > 0 && hidesByRules(chain, path.split('/'), isFolder))
      },
      enter: (name, has) => rulesOf(prefix + name, chain, logseq, has),
    }
  }

  // `logseq/.recycle` needs no rule, because it starts with a dot.
  const isLogseq = options.mode === 'auto' ? cached(() => markerOf(root, fs) === 'logseq') : () => options.mode === 'logseq'
  const atRoot = (hasGitignore?: boolean) => rulesOf('', [], isLogseq(), hasGitignore)
  return { atRoot, hides: (path, isFolder) => hidesPath(atRoot(), path.split('/'), isFolder) }
}

// The cache time in milliseconds. Detecting the mode takes about ten system calls.
const MARKER_CACHE_MS = 1000

function cached<T>(read: () => T): () => T {
  let cachedValue: { readonly value: T; readonly until: number } | undefined
  return () => {
    if (!cachedValue || cachedValue.until < performance.now())
      cachedValue = { value: read(), until: performance.now() + MARKER_CACHE_MS }
    return cachedValue.value
  }
}

function hidesPath(root: FolderRules, names: readonly string[], isFolder: boolean): boolean {
  if (names.some(isHiddenName)) return true
  let rules = root
  return names.some((name, i) => {
    const last = i === names.length - 1
    if (rules.hides(name, !last || isFolder)) return true
    if (!last) rules = rules.enter(name)
    return false
  })
}

export function openGlobs(globs: readonly string[], folds = diskFileSystem.rules.folds): (path: string) => boolean {
  const matches = matchAny(globs, folds)
  return (path) => {
    const names = path.split('/')
    return globs.length > 0 && names.some((_, at) => matches(names.slice(0, at + 1).join('/'), at < names.length - 1))
  }
}

/** Returns a test for globs. Those with a trailing slash match only folders. */
export function matchAny(globs: readonly string[], nocase: boolean): (path: string, isFolder: boolean) => boolean {
  const compile = (glob: string, isForFolders: boolean) =>
    alternatives(glob).map((alternative) => ({ isForFolders, matches: linearGlob(alternative, nocase) }))
  const compiled = globs.flatMap((glob) => {
    const pattern = glob.normalize('NFC').replace(/^\.?\//, '')
    // If `f/**` ignores everything in `f`, do not read `f`.
    const folder = pattern.replace(/\/(?:\*\*)?$/, '')
    return [...(folder === pattern ? [] : compile(folder, true)), ...(pattern.endsWith('/') ? [] : compile(pattern, false))]
  })
  return (path, isFolder) => {
    if (compiled.length === 0) return false
    const names = path.normalize('NFC').split('/')
    return compiled.some(({ isForFolders, matches }) => (isFolder || !isForFolders) && matches(names))
  }
}

const MAX_LENGTH = 1000

/** The limit bounds time and memory for untrusted globs. */
const MAX_ALTERNATIVES = 512

/** Expands `{a,b}`. The braces stay if there would be more than `MAX_ALTERNATIVES` patterns. */
function alternatives(pattern: string): readonly string[] {
  let patterns: readonly string[] = [pattern]
  for (;;) {
    const braces = patterns.map((pattern) => (pattern.length <= MAX_LENGTH ? /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(pattern) : null))
    const choices = braces.map((match) => match?.[1]?.split(',') ?? [''])
    const count = choices.reduce((sum, { length }) => sum + length, 0)
    if (count === patterns.length || count > MAX_ALTERNATIVES) return patterns
    const expanded = patterns.flatMap((pattern, i) => {
      const brace = braces[i]
      if (!brace) return [pattern]
      const end = brace.index + brace[0].length
      return (choices[i] ?? []).map((each) => pattern.slice(0, brace.index) + each + pattern.slice(end))
    })
    // Duplicates are removed, because nested braces can produce the same pattern more than once.
    patterns = [...new Set(expanded)]
  }
}

interface GitRule {
  readonly isNegated: boolean
  matches(names: readonly string[], isFolder: boolean): boolean
}

/** Returns true if the rules hide the file. As in git, the closest `.gitignore` with a matching rule decides. */
function hidesByRules(chain: readonly GitRule[], names: readonly string[], isFolder: boolean): boolean {
  const decisive = chain.find(({ matches }) => matches(names, isFolder))
  return decisive !== undefined && !decisive.isNegated
}

const GITIGNORE_BYTES = 256_000

const GITIGNORE_LINES = 1000

/** The rules of `.gitignore` files, which are compiled again only after a change. */
class Gitignores {
  readonly #root: string
  readonly #fs: FileSystem
  readonly #cache = new Map<string, { readonly stamp: string; readonly rules: readonly GitRule[] }>()

  constructor(root: string, fs: FileSystem) {
    this.#root = root
    this.#fs = fs
  }

  /** The last line comes first, because it takes precedence. */
  in(folder: string): readonly GitRule[] | undefined {
    const prefix = folder === '' ? '' : `${folder}/`
    const file = `${this.#root}/${prefix}.gitignore`
    const stamp = this.#stamp(file)
    if (stamp === undefined) return void this.#cache.delete(folder)
    const cached = this.#cache.get(folder)
    if (cached?.stamp === stamp) return cached.rules
    const rules = this.#compile(file, folder)
    this.#cache.set(folder, { stamp, rules })
    return rules
  }

  #stamp(file: string): string | undefined {
    return quietly(() => {
      const stat = this.#fs.lstatSync(file, { throwIfNoEntry: false })
      // A `.gitignore` file is not read through a symbolic link, as in git.
      return stat?.isFile() ? `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}` : undefined
    })
  }

  #compile(file: string, folder: string): readonly GitRule[] {
    const depth = folder === '' ? 0 : folder.split('/').length
    const lines = (readSmallText(this.#fs, file, GITIGNORE_BYTES) ?? '').split(/\r?\n/).slice(0, GITIGNORE_LINES)
    return lines.flatMap((line) => gitRule(line, depth, this.#fs.rules.folds) ?? []).reverse()
  }
}

function gitRule(line: string, depth: number, nocase: boolean): GitRule | undefined {
  const isNegated = line.startsWith('!')
  const trimmedLine = trimEndOf(line, ' ')
  // A trailing backslash keeps the space after it.
  const written = (trimmedLine.endsWith('\\') ? line.slice(0, trimmedLine.length + 1) : trimmedLine).slice(isNegated ? 1 : 0)
  const isForFolders = written.endsWith('/')
  const pattern = isForFolders ? written.slice(0, -1) : written
  if (pattern === '' || line.startsWith('#')) return undefined
  // A pattern without a slash matches names at any depth.
  const isForNames = !pattern.includes('/')
  const glob = pattern.replace(/^\//, '')
  const test = isForNames ? linearGlob(glob, nocase) : pathTest(glob, nocase)
  const matches: GitRule['matches'] = (names, isFolder) =>
    (isFolder || !isForFolders) && test(names, isForNames ? names.length - 1 : depth)
  return { isNegated, matches }
}

/**
 * Returns a test for paths. Git matches the text before the first wildcard separately, so `a**` and `a**\/b` match across
 * folders.
 */
function pathTest(glob: string, nocase: boolean): ReturnType<typeof linearGlob> {
  const [, head, rest] = /^([^*?[\\]*[^*?[\\/])(\*\*(?:\/.*)?)$/s.exec(glob) ?? []
  if (head === undefined || rest === undefined) return linearGlob(glob, nocase)
  const startsWithHead = literal(head, nocase)
  const test = linearGlob(rest, nocase)
  return (names, from) => {
    const path = names.slice(from).join('/')
    return startsWithHead(path.slice(0, head.length)) && test(path.slice(head.length).split('/'))
  }
}

type Matches<T> = (item: T) => boolean

type Part<T> = Matches<T> | typeof ANY

/** Compiles a glob with `*`, `?`, `[a-z]`, `[!a-z]`, `\*` and `**` for folders. Matching takes O(pattern × path) time. */
export function linearGlob(pattern: string, nocase: boolean): (names: readonly string[], from?: number) => boolean {
  const segments = pattern.split('/').flatMap((segment, i, all): readonly Part<string>[] => {
    // `f/**` matches the contents of the folder, but not the folder itself, as in git.
    if (segment === '**') return i > 0 && i === all.length - 1 ? [() => true, ANY] : [ANY]
    return [nameTest(segment, nocase)]
  })
  return (names, from) => matchesAll(segments, names, from)
}

/** Backtracks only to the last `ANY`, because earlier ones already match as little as possible. */
function matchesAll<T>(parts: readonly Part<T>[], items: ArrayLike<T>, from = 0): boolean {
  let part = 0
  let at = from
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

function nameTest(segment: string, nocase: boolean): Matches<string> {
  if (!/[*?[\\]/.test(segment)) return literal(segment, nocase)
  const [head = '', tail = ''] = segment.split('*')
  // A pattern with a single star takes this fast path.
  if (!nocase && segment === `${head}*${tail}` && !/[?[\\]/.test(segment))
    return (name) => name.length >= segment.length - 1 && name.startsWith(head) && name.endsWith(tail)
  const parts = (segment.match(PART) ?? []).flatMap((text): readonly Part<string>[] => {
    if (text.startsWith('*')) return [ANY]
    if (text === '?') return [() => true]
    if (text.length > 2) return [oneOf(text, nocase) ?? (() => false)]
    return [literal(text.slice(-1), nocase)]
  })
  return (name) => matchesAll(parts, name)
}

function literal(expected: string, nocase: boolean): Matches<string> {
  const folded = expected.toLowerCase()
  return nocase ? (text) => text.toLowerCase() === folded : (text) => text === expected
}

function oneOf(text: string, nocase: boolean): Matches<string> | undefined {
  const escaped = (escapedText: string, c = escapedText) => (/\w/.test(c) ? c : `\\${c}`)
  const body = text
    .slice(1, -1)
    .replace(/^!/, '^')
    .replace(/\\(.)|[[\]]/gs, escaped)
  const expression = quietly(() => new RegExp(`[${body}]`, nocase ? 'i' : ''))
  return expression && ((c) => expression.test(c))
}
