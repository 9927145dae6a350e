import type { Mode } from '../core/note.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { diskFileSystem, type FileSystem, readSmallText } from './file-system.ts'
import { markerOf } from './vault-root.ts'

/** Stands for any number of items. */
const ANY = 'any'

/** A star, an escaped character, a class or a single character. A class has an end, or each `[` would be followed to the pattern's. */
const PART = /\*+|\\.|\[[!^]?\]?(?:\\.|[^\]\\]){0,200}\]|./gs

/** The files left out by settings and `.gitignore` files. */
export interface IgnoreOptions {
  /** Globs over vault-relative paths; one that matches a folder hides all below. */
  readonly ignore: readonly string[]
  /** True if the vault's own `.gitignore` files count; those above its root never do. */
  readonly gitignore: boolean
  readonly mode: 'auto' | Mode
}

/** The rules that hold directly in one folder. */
export interface FolderRules {
  /** True if a name in this folder is left out. */
  hides(name: string, isFolder: boolean): boolean
  /** The rules of a folder in this one; `hasGitignore` spares a look for the file. */
  enter(name: string, hasGitignore?: boolean): FolderRules
}

export interface IgnoreRules {
  /** The root's rules, with what the settings and the `.gitignore` files say now. */
  atRoot(hasGitignore?: boolean): FolderRules
  /** True if a path, or a folder above it, is left out. */
  hides(path: string, isFolder: boolean): boolean
}

/** True if a name alone keeps a file or folder out of every vault. */
export function isHiddenName(name: string): boolean {
  return name.charCodeAt(0) === 46 || name === 'node_modules'
}

/** Opens the rules for leaving names out; they never throw. */
export function openIgnoreRules(root: string, options: IgnoreOptions, fs: FileSystem): IgnoreRules {
  const hidesByGlob = matchAny(options.ignore, fs.rules.folds)
  const gitignores = options.gitignore ? new Gitignores(root, fs) : undefined

  const rulesOf = (
    folder: string,
    above: readonly GitRule[],
    logseq: boolean,
    hasGitignore: boolean | undefined,
  ): FolderRules => {
    const own = hasGitignore === false ? undefined : gitignores?.in(folder)
    const chain = own ? [...own, ...above] : above
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

  // `logseq/.recycle` starts with a dot and needs no rule of its own.
  const isLogseq = options.mode === 'auto' ? cached(() => markerOf(root, fs) === 'logseq') : () => options.mode === 'logseq'
  const atRoot = (hasGitignore?: boolean) => rulesOf('', [], isLogseq(), hasGitignore)
  return { atRoot, hides: (path, isFolder) => hidesPath(atRoot(), path.split('/'), isFolder) }
}

// Asked for every single file, and it takes some ten calls to find out.
const MARKER_LIFE = 1000

function cached<T>(ask: () => T): () => T {
  let known: { readonly value: T; readonly until: number } | undefined
  return () => {
    if (!known || known.until < performance.now()) known = { value: ask(), until: performance.now() + MARKER_LIFE }
    return known.value
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

/** A test whether globs over vault-relative paths match a file or a folder above it. */
export function openGlobs(globs: readonly string[], folds = diskFileSystem.rules.folds): (path: string) => boolean {
  const matches = matchAny(globs, folds)
  return (path) => {
    const names = path.split('/')
    return globs.length > 0 && names.some((_, at) => matches(names.slice(0, at + 1).join('/'), at < names.length - 1))
  }
}

/** A test whether one of these globs matches a path itself. With a slash at its end a glob matches folders only. */
export function matchAny(globs: readonly string[], nocase: boolean): (path: string, isFolder: boolean) => boolean {
  const compile = (glob: string, isForFolders: boolean) =>
    alternatives(glob).map((one) => ({ isForFolders, matches: linearGlob(one, nocase) }))
  const compiled = globs.flatMap((glob) => {
    const written = glob.normalize('NFC').replace(/^\.?\//, '')
    // A folder need not be read when `f/**` leaves out everything in it.
    const folder = written.replace(/\/(?:\*\*)?$/, '')
    return [...(folder === written ? [] : compile(folder, true)), ...(written.endsWith('/') ? [] : compile(written, false))]
  })
  return (path, isFolder) => {
    if (compiled.length === 0) return false
    const names = path.normalize('NFC').split('/')
    return compiled.some(({ isForFolders, matches }) => (isFolder || !isForFolders) && matches(names))
  }
}

const MAX_LENGTH = 1000

/** Nobody writes more by hand. */
const MOST_ALTERNATIVES = 64

/** Expands braces in a glob: `{a,b}`. */
function alternatives(pattern: string): readonly string[] {
  let patterns: readonly string[] = [pattern]
  while (patterns.length <= MOST_ALTERNATIVES) {
    const expanded: readonly string[] = patterns.flatMap((one) => {
      const braces = one.length <= MAX_LENGTH ? /(?<!\\)\{([^{}]*,[^{}]*)\}/.exec(one) : null
      if (braces === null) return [one]
      const end = braces.index + braces[0].length
      return (braces[1] as string).split(',').map((each) => one.slice(0, braces.index) + each + one.slice(end))
    })
    if (expanded.length === patterns.length) break
    patterns = expanded
  }
  return patterns
}

/** A line of a `.gitignore`. */
interface GitRule {
  readonly isNegated: boolean
  /** @param names those of a path in the vault */
  matches(names: readonly string[], isFolder: boolean): boolean
}

/** The nearest file that says anything about a path decides, as in git. */
function hidesByRules(chain: readonly GitRule[], names: readonly string[], isFolder: boolean): boolean {
  const decisive = chain.find(({ matches }) => matches(names, isFolder))
  return decisive !== undefined && !decisive.isNegated
}

const GITIGNORE_BYTES = 256_000

const GITIGNORE_LINES = 1000

/** The `.gitignore` files of a vault, each compiled again only when it changed. */
class Gitignores {
  readonly #root: string
  readonly #fs: FileSystem
  readonly #known = new Map<string, { readonly stamp: string; readonly rules: readonly GitRule[] }>()

  constructor(root: string, fs: FileSystem) {
    this.#root = root
    this.#fs = fs
  }

  /** The rules of a folder's own file, the last line first. */
  in(folder: string): readonly GitRule[] | undefined {
    const prefix = folder === '' ? '' : `${folder}/`
    const file = `${this.#root}/${prefix}.gitignore`
    const stamp = this.#stamp(file)
    if (stamp === undefined) return void this.#known.delete(folder)
    const known = this.#known.get(folder)
    if (known?.stamp === stamp) return known.rules
    const rules = this.#compile(file, folder)
    this.#known.set(folder, { stamp, rules })
    return rules
  }

  #stamp(file: string): string | undefined {
    try {
      const stat = this.#fs.lstatSync(file, { throwIfNoEntry: false })
      // git does not follow a symbolic link here either.
      return stat?.isFile() ? `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}` : undefined
    } catch {
      return undefined
    }
  }

  #compile(file: string, folder: string): readonly GitRule[] {
    const depth = folder === '' ? 0 : folder.split('/').length
    const lines = (readSmallText(this.#fs, file, GITIGNORE_BYTES) ?? '').split(/\r?\n/).slice(0, GITIGNORE_LINES)
    return lines.flatMap((line) => gitRule(line, depth, this.#fs.rules.folds) ?? []).reverse()
  }
}

/** One line of a `.gitignore`, with the meaning it has in git. */
function gitRule(line: string, depth: number, nocase: boolean): GitRule | undefined {
  const isNegated = line.startsWith('!')
  const trimmed = trimEndOf(line, ' ')
  // A backslash keeps the space after it.
  const written = (trimmed.endsWith('\\') ? line.slice(0, trimmed.length + 1) : trimmed).slice(isNegated ? 1 : 0)
  const isForFolders = written.endsWith('/')
  const pattern = isForFolders ? written.slice(0, -1) : written
  if (pattern === '' || line.startsWith('#')) return undefined
  // One without a slash in it means names at any depth.
  const isForNames = !pattern.includes('/')
  const test = linearGlob(pattern.replace(/^\//, ''), nocase)
  const matches: GitRule['matches'] = (names, isFolder) =>
    (isFolder || !isForFolders) && test(names, isForNames ? names.length - 1 : depth)
  return { isNegated, matches }
}

type Matches<T> = (item: T) => boolean

type Part<T> = Matches<T> | typeof ANY

/**
 * Compiles a glob to a test of a path's names whose time grows with pattern times path, however many stars there are: `*`, `?`, `[a-z]`,
 * `[!a-z]`, `\*` and folders `**`. Everything else stands for itself.
 */
export function linearGlob(pattern: string, nocase: boolean): (names: readonly string[], from?: number) => boolean {
  const segments = pattern.split('/').flatMap((segment, i, all): readonly Part<string>[] => {
    // As in git, `f/**` is what is in the folder, not the folder.
    if (segment === '**') return i > 0 && i === all.length - 1 ? [() => true, ANY] : [ANY]
    return [nameTest(segment, nocase)]
  })
  return (names, from) => matchesAll(segments, names, from)
}

/**
 * True if the parts match all items, one each or `ANY`. Only the last `ANY` grows: earlier ones already took as little
 * as possible.
 */
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
  // Most patterns have one star, and two comparisons are faster than a walk.
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

function literal(wanted: string, nocase: boolean): Matches<string> {
  const folded = wanted.toLowerCase()
  return nocase ? (text) => text.toLowerCase() === folded : (text) => text === wanted
}

function oneOf(text: string, nocase: boolean): Matches<string> | undefined {
  const escaped = (found: string, c = found) => (/\w/.test(c) ? c : `\\${c}`)
  const body = text
    .slice(1, -1)
    .replace(/^!/, '^')
    .replace(/\\(.)|[[\]]/gs, escaped)
  try {
    const expression = new RegExp(`[${body}]`, nocase ? 'i' : '')
    return (c) => expression.test(c)
  } catch {
    return undefined
  }
}
