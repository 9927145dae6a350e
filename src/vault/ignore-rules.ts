import ignore from 'ignore'
import picomatch from 'picomatch'
import type { Mode } from '../core/note.ts'
import { diskFileSystem, type FileSystem, readSmallText } from './file-system.ts'
import { markerOf } from './vault-root.ts'

/** Stands for any number of items. */
const ANY = 'any'

/** A star, an escaped character, a class or a single character. A class has an end, or each `[` would be followed to the pattern's. */
const PART = /\*+|\\.|\[[!^]?\]?[^\]]{0,200}\]|./gs

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
  const globs = options.ignore.flatMap((glob) => compileGlob(glob, fs.rules.folds))
  const gitignores = options.gitignore ? new Gitignores(root, fs) : undefined

  const rulesOf = (
    folder: string,
    patterns: readonly Patterns[],
    logseq: boolean,
    hasGitignore: boolean | undefined,
  ): FolderRules => {
    const own = hasGitignore === false ? undefined : gitignores?.in(folder)
    const chain = own ? [...own, ...patterns] : patterns
    const prefix = folder === '' ? '' : `${folder}/`
    return {
      hides(name, isFolder) {
        if (isHiddenName(name)) return true
        if (logseq && folder === 'logseq' && name === 'bak') return true
        if (globs.length === 0 && chain.length === 0) return false
        const path = prefix + name
        return hidesByGlob(globs, path, isFolder) || hidesByPatterns(chain, path, isFolder)
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
  const compiled = globs.flatMap((glob) => compileGlob(glob, folds))
  return (path) => {
    if (compiled.length === 0) return false
    const names = path.split('/')
    return names.some((_, at) => hidesByGlob(compiled, names.slice(0, at + 1).join('/'), at < names.length - 1))
  }
}

interface Glob {
  readonly foldersOnly: boolean
  matches(path: string): boolean
}

function compileGlob(glob: string, nocase: boolean): readonly Glob[] {
  const trimmed = glob.normalize('NFC').replace(/^\.?\//, '')
  const pattern = trimmed.replace(/\/$/, '')
  const foldersOnly = pattern !== trimmed
  if (pattern === '') return []
  if (isCostly(pattern)) return alternatives(pattern).map((one) => ({ foldersOnly, matches: linearGlob(one, nocase) }))
  try {
    const matches = picomatch(asPlainGlob(pattern), { dot: true, nocase, nonegate: true, noextglob: true, windows: false })
    return [{ foldersOnly, matches: (path) => matches(path) }]
  } catch {
    return []
  }
}

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

// picomatch lets the regular expression's own groups and quantifiers through; in names of notes they are just characters.
function asPlainGlob(pattern: string): string {
  return pattern.replace(/\\.|[()+|]/gs, (found) => (found.startsWith('\\') ? found : `\\${found}`))
}

const MAX_LENGTH = 1000

// In a regular expression a star backtracks, so the cost is the name's length to the power of the stars: three take
// some 10 ms for a name of 255 bytes, five take minutes. Globs may come from a stranger's vault.
function isCostly(pattern: string): boolean {
  if (pattern.length > MAX_LENGTH) return true
  const segments = pattern.split('/')
  const deep = segments.filter((segment) => /^\*{2,}$/.test(segment)).length
  return deep > 3 || segments.some((segment) => (segment.match(/\*+/g)?.length ?? 0) > 3)
}

function hidesByGlob(globs: readonly Glob[], path: string, isFolder: boolean): boolean {
  if (globs.length === 0) return false
  const name = path.normalize('NFC')
  return globs.some((glob) => (isFolder || !glob.foldersOnly) && glob.matches(name))
}

/** Patterns of a `.gitignore`, and the folder they are relative to. */
interface Patterns {
  readonly prefix: string
  readonly tester: {
    /** A folder's path ends with `/`. */
    test(path: string): { readonly ignored: boolean; readonly unignored: boolean }
  }
}

/** The nearest file that says anything about a path decides, as in git. */
function hidesByPatterns(chain: readonly Patterns[], path: string, isFolder: boolean): boolean {
  for (const { prefix, tester } of chain) {
    const { ignored, unignored } = tester.test(path.slice(prefix.length) + (isFolder ? '/' : ''))
    if (ignored || unignored) return ignored
  }
  return false
}

const GITIGNORE_BYTES = 256_000

const GITIGNORE_LINES = 1000

/** The `.gitignore` files of a vault, each compiled again only when it changed. */
class Gitignores {
  readonly #root: string
  readonly #fs: FileSystem
  readonly #known = new Map<string, { readonly stamp: string; readonly patterns: readonly Patterns[] }>()

  constructor(root: string, fs: FileSystem) {
    this.#root = root
    this.#fs = fs
  }

  /** The patterns of a folder's own file, those that count first first. */
  in(folder: string): readonly Patterns[] | undefined {
    const prefix = folder === '' ? '' : `${folder}/`
    const file = `${this.#root}/${prefix}.gitignore`
    const stamp = this.#stamp(file)
    if (stamp === undefined) return void this.#known.delete(folder)
    const known = this.#known.get(folder)
    if (known?.stamp === stamp) return known.patterns
    const patterns = this.#compile(file, prefix)
    this.#known.set(folder, { stamp, patterns })
    return patterns
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

  #compile(file: string, prefix: string): readonly Patterns[] {
    const text = readSmallText(this.#fs, file, GITIGNORE_BYTES) ?? ''
    const { folds } = this.#fs.rules
    const patterns: Patterns[] = []
    let plain: ignore.Ignore | undefined
    for (const line of text.split(/\r?\n/).slice(0, GITIGNORE_LINES)) {
      if (isCostly(line)) {
        plain = undefined
        patterns.push({ prefix, tester: costlyTester(line, folds) })
      } else if (plain === undefined) {
        plain = ignore({ ignorecase: folds, allowRelativePaths: true }).add(line)
        patterns.push({ prefix, tester: plain })
      } else plain.add(line)
    }
    return patterns.reverse()
  }
}

/** One line of a `.gitignore`, with the meaning it has in git. */
function costlyTester(line: string, nocase: boolean): Patterns['tester'] {
  const isNegated = line.startsWith('!')
  const written = line.slice(isNegated ? 1 : 0).trimEnd()
  const foldersOnly = written.endsWith('/')
  const pattern = foldersOnly ? written.slice(0, -1) : written
  // One without a slash in it means names at any depth.
  const matches = linearGlob(pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`, nocase)
  return {
    test(path) {
      const isFolder = path.endsWith('/')
      const hit = !line.startsWith('#') && (isFolder || !foldersOnly) && matches(isFolder ? path.slice(0, -1) : path)
      return { ignored: hit && !isNegated, unignored: hit && isNegated }
    },
  }
}

type Matches<T> = (item: T) => boolean

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
 * True if the parts match all items, one each or `ANY`. Only the last `ANY` grows: earlier ones already took as little
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
