/** The files of a vault, their kinds, the exclusions, and the mode detected from markers and links. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {'note' | 'canvas' | 'attachment'} Kind */
/** @typedef {'obsidian' | 'foam' | 'logseq' | 'docs'} Mode */

/**
 * Paths of all files, relative, with `/`, in code-unit order (V2, V5).
 * @param {string} root
 * @param {'lenient' | 'obsidian'} profile
 * @returns {string[]}
 */
export function listFiles(root, profile) {
  const paths = []
  const visited = [realpathSync(root)]
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isSymbolicLink() && !isFollowed(join(root, path), profile, visited)) continue
      const stats = entry.isSymbolicLink() ? statSync(join(root, path)) : entry
      if (stats.isFile()) paths.push(path)
      if (stats.isDirectory() && !(profile === 'lenient' && entry.name === 'node_modules')) visit(path)
    }
  }
  visit('')
  return paths.sort(compare)
}

/** V5: without link roots a server follows no symbolic links; Obsidian follows those that lead outside the vault. */
function isFollowed(path, profile, visited) {
  if (profile === 'lenient' || !existsSync(path)) return false
  const real = realpathSync(path)
  const overlaps = visited.some((other) => `${real}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${real}/`))
  if (!overlaps) visited.push(real)
  return !overlaps
}

/** Compares by UTF-16 code units. */
export function compare(a, b) {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The extensions of notes, in the order in which a name without extension is looked up (V1). */
export function noteExtensions(mode) {
  return mode === 'docs' ? ['.md', '.markdown', '.mdx'] : ['.md']
}

/**
 * @param {string} path
 * @param {Mode} mode
 * @returns {Kind}
 */
export function kindOf(path, mode) {
  const folded = path.toLowerCase()
  const name = folded.slice(folded.lastIndexOf('/') + 1)
  if (noteExtensions(mode).some((extension) => name.endsWith(extension) && name !== extension)) return 'note'
  return name.endsWith('.canvas') ? 'canvas' : 'attachment'
}

/** V4: the vault's `userIgnoreFilters` as a test on paths. */
export function readExclusions(root) {
  const filters = readJson(join(root, '.obsidian/app.json'))?.userIgnoreFilters
  if (!Array.isArray(filters)) return () => false
  const tests = filters.filter((filter) => typeof filter === 'string' && filter !== '').map(exclusionTest)
  return (path) => tests.some((test) => test(path))
}

function exclusionTest(filter) {
  const pattern = filter.match(/^\/(.+)\/$/)
  if (!pattern) return (path) => path.startsWith(filter)
  try {
    const regex = new RegExp(pattern[1], 'i')
    return (path) => regex.test(path)
  } catch {
    return () => false
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * The mode that a vault's marker implies, or `undefined`.
 * @param {string} root
 * @returns {Mode | undefined}
 */
export function markedMode(root) {
  if (existsSync(join(root, '.obsidian'))) return 'obsidian'
  if (existsSync(join(root, '.foam')) || mentionsFoam(root)) return 'foam'
  return existsSync(join(root, 'logseq/config.edn')) ? 'logseq' : undefined
}

function mentionsFoam(root) {
  return ['settings.json', 'extensions.json'].some((name) => {
    const path = join(root, '.vscode', name)
    return existsSync(path) && /foam/i.test(readFileSync(path, 'utf8'))
  })
}
