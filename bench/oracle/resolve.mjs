/** Finds the file that a link means (semantics 1.6, R1–R20). */
import { compare, noteExtensions } from './files.mjs'

/**
 * What a link leads to.
 * @typedef {{ kind: 'file', path: string, via?: 'alias' }
 * | { kind: 'missing', name: string }
 * | { kind: 'none' }} Target
 */

/** Normalizes a name for comparing spelling: NFC, one kind of space (V6). */
const spelled = (name) => name.replace(/[\u00a0\u202f]/g, ' ').normalize('NFC')

/** Normalizes a name for lookup: case-folded, final sigma as sigma (V7, R17). */
const fold = (name) => spelled(name).toLowerCase().normalize('NFC').replaceAll('ς', 'σ')

const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1)

/**
 * @param {{ path: string, kind: string, aliases: string[] }[]} files
 * @param {{ profile: 'lenient' | 'obsidian', mode: string }} options
 */
export function createResolver(files, { profile, mode }) {
  const index = { byName: groupBy(files, (file) => fold(nameOf(file.path))), byAlias: new Map() }
  for (const file of files) {
    const aliases = mode === 'logseq' ? [...file.aliases, ...pageNames(file)] : file.aliases
    for (const alias of file.kind === 'note' ? aliases : []) addTo(index.byAlias, fold(alias), { alias, path: file.path })
  }
  const foldsFolders = profile === 'lenient' && (mode === 'docs' || mode === 'foam')
  const context = { index, lenient: profile === 'lenient', foldsFolders, mode, extensions: noteExtensions(mode) }
  return {
    /**
     * @param {import('./body.mjs').RawLink} link
     * @param {string} source path of the file that contains the link
     * @returns {Target}
     */
    resolve: (link, source) =>
      link.form === 'wiki' ? resolveWiki(link, source, context) : resolveMarkdown(link, source, context),
    /** A canvas names a file by its exact path (J3). */
    resolveFile: (path) => {
      const found = best(atPath(path, context), path, '')
      return found ? { kind: 'file', path: found } : missing(path)
    },
  }
}

/** A Logseq page is named after its file, in which `___` stands for `/` and `%XX` for a character, or by its title, wherever the file is. */
function pageNames({ path, title }) {
  const name = decode(nameOf(path).replace(/\.md$/i, '').replaceAll('___', '/'))
  return title === undefined ? [name] : [name, title]
}

function groupBy(files, keyOf) {
  const groups = new Map()
  for (const file of files) addTo(groups, keyOf(file), file.path)
  return groups
}

function addTo(groups, key, item) {
  const group = groups.get(key)
  if (group) group.push(item)
  else groups.set(key, [item])
}

// Target of a wikilink: the part before the first `|` that is not the first character, then before the first `#`.
function resolveWiki(link, source, context) {
  const text = link.target
  const pipe = text.indexOf('|', 1)
  const shown = pipe === -1 ? text : text.slice(0, text[pipe - 1] === '\\' ? pipe - 1 : pipe)
  const target = shown.trim()
  if (context.lenient && (target === '' || target.startsWith('|'))) return { kind: 'none' }
  if (target === '') return { kind: 'none' }
  if (context.lenient && isAddress(target)) return { kind: 'none' }
  const hash = target.indexOf('#')
  const path = hash === -1 ? target : target.slice(0, hash).trim()
  const page = context.mode === 'logseq' ? findAlias(path, source, context) : undefined
  if (page) return page
  return find(path, source, context) ?? findDecoded(path, source, context) ?? missing(path)
}

// W24. `Talk: the title` is a note's name, so a scheme alone is not enough.
const isAddress = (target) => /^([a-z][a-z0-9+.-]*:\/\/|mailto:)/i.test(target)

/** W23: percent-decoding is a fallback. */
function findDecoded(path, source, context) {
  if (!context.lenient) return undefined
  const decoded = decode(path)
  return decoded === path ? undefined : find(decoded, source, context)
}

function resolveMarkdown(link, source, context) {
  const address = link.target.trim()
  if (address === '' || isExternal(address)) return { kind: 'none' }
  const hash = address.indexOf('#')
  const written = hash === -1 ? address : address.slice(0, hash)
  const path = decode(written)
  const found = findBeside(path, source, context)
  if (found) return found
  const query = written.indexOf('?')
  if (context.lenient && context.mode === 'docs' && query !== -1) {
    return findBeside(decode(written.slice(0, query)), source, context) ?? missing(path)
  }
  return missing(path)
}

/** M10: a scheme or `//`. */
export function isExternal(address) {
  return /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(address)
}

function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** R6: in docs and foam mode a Markdown link first looks next to its source, then follows the common order. */
function findBeside(path, source, context) {
  if (path === '' || path.startsWith('/') || !context.foldsFolders) return find(path, source, context)
  return findExact(join(folderOf(source), path), context) ?? find(path, source, context)
}

/** @returns {Target | undefined} */
function find(path, source, context) {
  if (path === '') return { kind: 'file', path: source }
  const clean = path.replace(/\/{2,}/g, '/')
  if (/^\.\.?(\/|$)/.test(clean)) return findExact(join(folderOf(source), clean), context)
  if (clean.startsWith('/')) return findExact(clean.slice(1), context)
  return findAnywhere(clean, source, context) ?? findFolder(clean, source, context) ?? findAlias(path, source, context)
}

/** Appends a relative path to a folder; returns `undefined` above the root. */
function join(folder, path) {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined
    if (part !== '..' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

// R2, R3
function findExact(path, context) {
  if (path === undefined) return undefined
  for (const extension of ['', ...context.extensions]) {
    const found = best(atPath(path + extension, context), path, extension)
    if (found) return { kind: 'file', path: found }
  }
  if (!context.foldsFolders) return undefined
  const folder = path.replace(/\/$/, '')
  for (const name of ['index', 'README']) {
    for (const extension of context.extensions) {
      const inside = folder === '' ? name : `${folder}/${name}`
      const found = best(atPath(inside + extension, context), inside, extension)
      if (found) return { kind: 'file', path: found }
    }
  }
  return undefined
}

function atPath(path, { index }) {
  const folded = fold(path)
  return (index.byName.get(nameOf(folded)) ?? []).filter((candidate) => fold(candidate) === folded)
}

/** R16: the name as written, then with a note's extension; each vault-wide. */
function findAnywhere(path, source, context) {
  for (const extension of ['', ...context.extensions]) {
    const folded = fold(path + extension)
    const sameName = context.index.byName.get(nameOf(folded)) ?? []
    const matches = sameName.filter((candidate) => `/${fold(candidate)}`.endsWith(`/${folded}`))
    const atRoot = matches.filter((candidate) => fold(candidate) === folded)
    const pool = context.lenient ? preferSpelled(matches, path, extension) : matches
    const found = best(atRoot, path, extension) ?? nearest(pool, source)
    if (found) return { kind: 'file', path: found }
  }
  return undefined
}

/** R9: if some are spelled exactly like the link, drop the others. */
function preferSpelled(paths, path, extension) {
  const exact = paths.filter((candidate) => `/${stem(candidate, extension)}`.endsWith(`/${spelled(path)}`))
  return exact.length > 0 ? exact : paths
}

const stem = (path, extension) => spelled(path).slice(0, extension === '' ? undefined : -extension.length)

/** Among files whose paths differ only in spelling, the one spelled like the link, otherwise the first. */
function best(paths, path, extension) {
  const sorted = [...paths].sort(compare)
  return sorted.find((candidate) => stem(candidate, extension) === spelled(path)) ?? sorted[0]
}

/** R5: the source's own folder, then the shortest path; R10: then the smallest. */
function nearest(paths, source) {
  const own = paths.filter((path) => folderOf(path) === folderOf(source))
  const pool = own.length > 0 ? own : paths
  return [...pool].sort((a, b) => spelled(a).length - spelled(b).length || compare(a, b))[0]
}

/** M16, R18: in docs and foam mode a folder means its index or README. */
function findFolder(path, source, context) {
  if (!context.foldsFolders) return undefined
  const folder = path.replace(/\/$/, '')
  return findAnywhere(`${folder}/index`, source, context) ?? findAnywhere(`${folder}/README`, source, context)
}

/** R12: a server looks at aliases after all file rules. */
function findAlias(path, source, context) {
  if (!context.lenient) return undefined
  const named = context.index.byAlias.get(fold(path.trim())) ?? []
  const exact = named.filter(({ alias }) => spelled(alias) === spelled(path))
  const found = nearest(
    (exact.length > 0 ? exact : named).map((each) => each.path),
    source,
  )
  return found ? { kind: 'file', path: found, via: 'alias' } : undefined
}

/** W14: an unresolved target drops its `.md`. */
const missing = (path) => ({ kind: 'missing', name: path.replace(/\.md$/i, '') })
