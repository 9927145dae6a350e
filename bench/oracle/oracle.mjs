/**
 * An independent implementation of a vault's links, to check the indexer: remark parses Markdown, `yaml` parses frontmatter, and the vault
 * semantics (V1–J7) are implemented here a second time. Slow on purpose; shares no code with the program.
 *
 * Usage: node bench/oracle/oracle.mjs <vault> [--out file.json] [--lines] [--profile lenient|obsidian] [--mode …]
 *
 * Choices where the rules are ambiguous:
 * - Inline math needs no space after its first `$`, none before its last one, no digit after that one (Pandoc's rule, which Obsidian
 * appears to follow), and may span lines of a paragraph; `$$` at the start of a line opens a block only if another `$$` follows in the
 * note. A code span inside math does not end it: whichever starts first wins.
 * - `[[[a]]]` links to `a`. `[[#]]` links to the note itself; `[[ |x]]` is not a link.
 * - A wikilink inside the text of a Markdown link counts, and so does the Markdown link.
 * - A wikilink attached to a bare URL (`https://e.com/[[a]]`) is part of the URL. One that is the destination of a definition (`[b]:
 * [[c]]`) is not a link, as in CommonMark.
 * - `[[scheme://…]]` and `[[mailto:…]]` are external; `[[Talk: title]]` is a name.
 * - R9, exact spelling: among all files a link could mean, in every folder, after R4 and before R5.
 * - R16 before R4/R5: a file named exactly as written, anywhere, before a note of that name plus `.md`.
 * - Aliases: looked up with the whole target; exact spelling first, then as R5. They apply to Markdown links too.
 * - W23: the decoded name is tried after the files and aliases of the written one.
 * - Repeated slashes in a target count once; U+202F is a space like U+00A0.
 * - Markdown links are cut at `?` and `#` before decoding, so `c%23.md` is `c#.md`. In docs mode, a `?` is cut only if no file has the
 * whole name.
 * - Folder targets in docs and foam mode: next to the source for Markdown links, then vault-wide by R4–R5 for `folder/index`, then
 * `folder/README`.
 * - Properties: wikilinks anywhere in a string, also in block scalars and code marks; Markdown links only as the whole value. `[[a, b]]`
 * unquoted is the name `a, b`. Malformed frontmatter gives tags and aliases, but no links.
 * - A YAML anchor or alias makes the frontmatter malformed.
 * - A `%%` at the start of a line opens a comment up to the next `%%` or the end; elsewhere, up to the next one in the paragraph.
 * - Logseq's own syntax (`key::` page properties, `#tag` pages) is ignored. A wikilink there first means a page name; otherwise that mode
 * resolves like obsidian.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { parseBody } from './body.mjs'
import { compare, kindOf, listFiles, markedMode, readExclusions } from './files.mjs'
import { readProperties, splitFrontmatter } from './frontmatter.mjs'
import { createResolver, isExternal } from './resolve.mjs'
import { distinctTags } from './tags.mjs'

/**
 * @typedef {object} OracleNode
 * @property {string} id
 * @property {string} path
 * @property {string} title
 * @property {import('./files.mjs').Kind} kind
 * @property {string[]} tags
 * @property {string[]} aliases
 * @property {boolean} excluded
 */

/** @typedef {{ source: string, target: string, count: number, kinds: string[], lines: number[] }} OracleEdge */

/**
 * Reads a vault.
 * @param {string} root
 * @param {{ profile?: 'lenient' | 'obsidian', mode?: import('./files.mjs').Mode, comments?: boolean }} [options]
 * @returns {{
 *   mode: string, nodes: OracleNode[], edges: OracleEdge[], unresolved: object[], files: Map<string, object>,
 *   resolve(link: object, source: string): import('./resolve.mjs').Target
 * }}
 */
export function readVault(root, { profile = 'lenient', mode: wanted, comments = true } = {}) {
  const paths = listFiles(root, profile)
  const parsed = new Map()
  const parse = (path) => {
    if (!parsed.has(path)) parsed.set(path, parseNote(readFileSync(join(root, path), 'utf8'), profile, comments))
    return parsed.get(path)
  }
  const mode = profile === 'obsidian' ? 'obsidian' : (wanted ?? markedMode(root) ?? countedMode(paths, parse))
  const isExcluded = readExclusions(root)
  const files = paths.map((path) => {
    const kind = kindOf(path, mode)
    const note = kind === 'note' ? parse(path) : noNote()
    const cards = kind === 'canvas' ? readCanvas(readFileSync(join(root, path), 'utf8'), profile, comments) : []
    return { ...note, path, kind, links: [...note.links, ...cards], excluded: isExcluded(path) }
  })
  const resolver = createResolver(files, { profile, mode })
  const ids = assignIds(paths)
  const graph = collectLinks(files, { resolver, ids, countsHtml: mode === 'docs' })
  const nodes = files.map((file) => toNode(file, ids, mode))
  const resolve = (link, source) => (link.form === 'file' ? resolver.resolveFile(link.target) : resolver.resolve(link, source))
  return { mode, nodes, ...graph, files: new Map(files.map((file) => [file.path, file])), resolve }
}

function noNote() {
  return {
    links: [],
    tags: [],
    aliases: [],
    title: undefined,
    h1: undefined,
    malformed: false,
    headings: [],
    blocks: [],
    firstLine: 1,
  }
}

/** Everything a note contains, before links are resolved. */
function parseNote(raw, profile, comments) {
  const text = raw.replace(/^\ufeff/, '').replace(/\r\n/g, '\n')
  const { yaml, body, bodyLine } = splitFrontmatter(text)
  const properties = yaml === undefined ? noNote() : readProperties(yaml, profile)
  const content = parseBody(body, { profile, firstLine: bodyLine })
  const isKept = (item) => comments || !item.inComment
  return {
    headings: content.headings,
    blocks: content.blocks,
    firstLine: bodyLine,
    links: [...properties.links, ...content.links.filter(isKept)],
    tags: distinctTags([...properties.tags, ...content.tags.filter(isKept).map((tag) => tag.name)]),
    aliases: [...new Set(properties.aliases)],
    title: properties.title,
    h1: content.h1,
    malformed: properties.malformed,
  }
}

/** Without a marker: docs if relative Markdown links outnumber wikilinks. */
function countedMode(paths, parse) {
  const links = paths.filter((path) => kindOf(path, 'obsidian') === 'note').flatMap((path) => parse(path).links)
  const body = links.filter((link) => link.property === undefined)
  const wiki = body.filter((link) => link.form === 'wiki').length
  const markdown = body.filter((link) => link.form === 'markdown' && link.target !== '' && !isExternal(link.target))
  return markdown.filter((link) => !link.target.startsWith('#')).length > wiki ? 'docs' : 'obsidian'
}

/** J1–J7 */
function readCanvas(text, profile, comments) {
  const nodes = parseJson(text)?.nodes
  if (!Array.isArray(nodes)) return []
  return nodes.flatMap((node) => {
    if (node?.type === 'file' && typeof node.file === 'string')
      return [{ form: 'file', embed: false, target: node.file, line: 1 }]
    if (node?.type !== 'text' || typeof node.text !== 'string') return []
    return parseNote(node.text, profile, comments).links.map((link) => ({ ...link, line: 1 }))
  })
}

function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Ids are folded paths. If two paths fold to the same id, one keeps it and the others use their exact path. */
function assignIds(paths) {
  const groups = new Map()
  for (const path of paths) {
    const folded = foldId(path)
    groups.set(folded, [...(groups.get(folded) ?? []), path])
  }
  const ids = new Map()
  for (const [folded, twins] of groups) {
    const plain = twins.includes(folded) ? folded : twins[0]
    for (const path of twins) ids.set(path, path === plain ? folded : path)
  }
  return ids
}

/** @param {string} path */
export function foldId(path) {
  return path.normalize('NFC').toLowerCase().normalize('NFC')
}

function collectLinks(files, { resolver, ids, countsHtml }) {
  const edges = new Map()
  const unresolved = new Map()
  for (const file of files) {
    for (const link of file.links) {
      if (link.form === 'html' && !countsHtml) continue
      const target = link.form === 'file' ? resolver.resolveFile(link.target) : resolver.resolve(link, file.path)
      const source = ids.get(file.path)
      if (target.kind === 'file') count(edges, { source, target: ids.get(target.path) }, link)
      if (target.kind === 'missing') count(unresolved, { source, target: target.name }, link)
    }
  }
  return { edges: sorted(edges), unresolved: sorted(unresolved).map(({ kinds, ...rest }) => rest) }
}

function count(groups, ends, link) {
  const key = `${ends.source}\n${ends.target}`
  const group = groups.get(key) ?? { ...ends, count: 0, kinds: [], lines: [] }
  group.count += 1
  group.lines.push(link.line)
  const kind = kindOfLink(link)
  if (!group.kinds.includes(kind)) group.kinds.push(kind)
  groups.set(key, group)
}

function kindOfLink(link) {
  if (link.property !== undefined) return 'property'
  return link.embed ? 'embed' : 'link'
}

function sorted(groups) {
  return [...groups.values()].sort((a, b) => compare(a.source, b.source) || compare(a.target, b.target))
}

function toNode(file, ids, mode) {
  const { path, kind, tags, aliases, excluded } = file
  return { id: ids.get(path), path, title: titleOf(file, mode), kind, tags, aliases, excluded }
}

function titleOf({ path, kind, title, h1 }, mode) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const byName = kind === 'note' ? name.replace(/\.[^.]+$/, '') : name
  return title ?? (mode === 'docs' ? h1 || byName : byName)
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string' },
      lines: { type: 'boolean' },
      profile: { type: 'string' },
      mode: { type: 'string' },
    },
  })
  const started = performance.now()
  const { mode, nodes, edges, unresolved } = readVault(positionals[0], { profile: values.profile, mode: values.mode })
  const withoutLines = ({ lines, ...rest }) => rest
  const strip = values.lines ? (each) => each : withoutLines
  if (values.out)
    writeFileSync(
      values.out,
      `${JSON.stringify({ nodes, edges: edges.map(strip), unresolved: unresolved.map(strip) }, null, 1)}\n`,
    )
  const notes = new Set(nodes.filter((node) => node.kind === 'note').map((node) => node.id))
  const between = edges.filter((edge) => notes.has(edge.source) && notes.has(edge.target))
  const sum = (items) => items.reduce((total, item) => total + item.count, 0)
  console.log({
    mode,
    notes: notes.size,
    files: nodes.length - notes.size,
    noteEdges: between.length,
    noteLinks: sum(between),
    selfEdges: between.filter((edge) => edge.source === edge.target).length,
    otherEdges: edges.length - between.length,
    otherLinks: sum(edges) - sum(between),
    unresolvedPairs: unresolved.length,
    unresolvedLinks: sum(unresolved),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main()
