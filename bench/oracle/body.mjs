/** Reads links, tags and the first H1 of a piece of Markdown from remark's syntax tree. */
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { tagsInText } from './tags.mjs'
import { setSource, vaultNodes, vaultSyntax } from './wikilink-syntax.mjs'

/**
 * One occurrence of a link, before it is resolved.
 * @typedef {object} RawLink
 * @property {'wiki' | 'markdown' | 'reference' | 'html'} form
 * @property {boolean} embed
 * @property {string} target what is written between the brackets, or the destination (escapes undone, not decoded)
 * @property {number} line counted from 1 in the file
 * @property {boolean} [inComment] inside `%% … %%`
 * @property {string} [property] the key path, for a link in the frontmatter
 */

/**
 * A heading outside comments. `isTop`: in no quote and no list.
 * @typedef {{ depth: number, text: string, line: number, lastLine: number, isTop: boolean }} RawHeading
 */

/**
 * `blocks`: the ids of `^blocks`.
 * @typedef {{
 *   links: RawLink[], tags: { name: string, inComment: boolean }[], h1: string | undefined, headings: RawHeading[], blocks: string[]
 * }} Body
 */

// Replaces the `|` of a wikilink while tables are split into cells. It is a noncharacter, so no note contains it.
const PIPE = '\ufdd0'

const processor = unified().use(remarkParse).use(remarkGfm).use(useVaultSyntax)

/**
 * @param {string} text Markdown without frontmatter, line ends as LF
 * @param {{ profile: 'lenient' | 'obsidian', firstLine?: number }} options
 * @returns {Body}
 */
export function parseBody(text, { profile, firstLine = 1 }) {
  const source = profile === 'lenient' ? protectPipes(text) : text
  setSource(source)
  const tree = processor.parse(source)
  const reader = { source, profile, firstLine, definitions: definitionsOf(tree), ...emptyBody() }
  walk(tree, reader, { inItem: false })
  const comments = commentRanges(source, reader)
  const inComment = (item) => comments.some(([from, to]) => item.offset >= from && item.offset < to)
  return {
    links: reader.links.map(({ offset, ...link }) => ({ ...link, ...(inComment({ offset }) && { inComment: true }) })),
    tags: reader.tags.map((tag) => ({ name: tag.name, inComment: inComment(tag) })),
    h1: reader.h1,
    headings: reader.headings
      .filter((heading) => !inComment(heading) || wholly(comments, heading))
      .map(({ offset, end, ...heading }) => ({ ...heading, isTop: tree.children.some((child) => startOf(child) === offset) })),
    blocks: reader.texts.flatMap(([, slice]) => [...slice.matchAll(/(?:^|\s)\^([a-z0-9-]+)[ \t]*$/gim)].map(([, id]) => id)),
  }
}

const startOf = (node) => node.position.start.offset

/** A heading may begin with a comment if the comment ends on its line. */
function wholly(comments, { offset, end }) {
  return comments.some(([from, to]) => from >= offset && from <= offset + 8 && to <= end)
}

/**
 * The Markdown link or image that makes up a whole text, for property values (F3).
 * @param {string} text
 */
export function onlyLink(text) {
  if (!/^\s*!?\[[\s\S]*\)\s*$/.test(text)) return undefined
  setSource(text)
  const { children } = processor.parse(text)
  if (children.length !== 1 || children[0].type !== 'paragraph' || children[0].children.length !== 1) return undefined
  const [node] = children[0].children
  if (node.type !== 'link' && node.type !== 'image') return undefined
  return { form: 'markdown', embed: node.type === 'image', target: node.url }
}

function emptyBody() {
  return { links: [], tags: [], texts: [], headings: [], h1: undefined }
}

function useVaultSyntax() {
  const data = this.data()
  data.micromarkExtensions.push(vaultSyntax)
  // The transforms would only find more external addresses, and they drop the positions of the text around them.
  data.fromMarkdownExtensions = data.fromMarkdownExtensions.flat().map((part) => ({ ...part, transforms: [] }))
  data.fromMarkdownExtensions.push(vaultNodes)
}

/** W20: the pipe of a wikilink does not end a table cell. Lengths and positions stay the same. */
function protectPipes(text) {
  if (!text.includes('[[')) return text
  return text.replace(/[^\n]+/g, (line) => (line.includes('[[') && line.includes('|') ? protectLine(line) : line))
}

function protectLine(line) {
  let out = ''
  let at = 0
  for (;;) {
    const close = line.indexOf(']]', at)
    if (close === -1) return out + line.slice(at)
    const open = line.lastIndexOf('[[', close)
    if (open >= at) out += line.slice(at, open) + line.slice(open, close).replace(/(?<!\\)\|/g, PIPE)
    else out += line.slice(at, close)
    out += ']]'
    at = close + 2
  }
}

const restore = (text) => text.replaceAll(PIPE, '|')

/** The first definition of a label wins, wherever it is. */
function definitionsOf(tree) {
  const found = new Map()
  const visit = (node) => {
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node.url)
    for (const child of node.children ?? []) visit(child)
  }
  visit(tree)
  return found
}

function walk(node, reader, context) {
  const visitor = visitors[node.type]
  if (visitor) return visitor(node, reader, context)
  for (const child of node.children ?? []) walk(child, reader, context)
}

function walkChildren(node, reader, context) {
  for (const child of node.children) walk(child, reader, context)
}

const visitors = {
  wikilink(node, reader) {
    const embed = node.value.startsWith('!')
    add(reader, node, { form: 'wiki', embed, target: node.value.slice(embed ? 3 : 2, -2) })
  },
  link(node, reader, context) {
    add(reader, node, { form: 'markdown', embed: false, target: node.url })
    // The text of a bare URL contains no tags.
    if (!isAutolink(node, reader.source)) walkChildren(node, reader, context)
  },
  image(node, reader) {
    add(reader, node, { form: 'markdown', embed: true, target: node.url })
  },
  linkReference(node, reader, context) {
    addReference(node, reader, false)
    walkChildren(node, reader, context)
  },
  imageReference(node, reader) {
    addReference(node, reader, true)
  },
  listItem(node, reader) {
    walkChildren(node, reader, { inItem: true })
  },
  heading(node, reader, context) {
    const text = headingText(node, reader.source)
    if (node.depth === 1 && reader.h1 === undefined) reader.h1 = text
    const { start, end } = node.position
    const [line, lastLine] = [start, end].map((place) => place.line + reader.firstLine - 1)
    reader.headings.push({ depth: node.depth, text, line, lastLine, offset: start.offset, end: end.offset })
    walkChildren(node, reader, context)
  },
  code(node, reader, context) {
    if (context.inItem && isIndented(node, reader.source)) readIndented(node, reader)
  },
  html(node, reader) {
    addHtml(node, reader)
  },
  text(node, reader) {
    const from = node.position.start.offset
    const slice = reader.source.slice(from, node.position.end.offset)
    reader.texts.push([from, slice])
    for (const tag of tagsInText(slice)) reader.tags.push({ name: tag.name, offset: from + tag.at })
  },
  math() {},
  inlineCode() {},
  definition() {},
}

function add(reader, node, link) {
  const { line, offset } = node.position.start
  reader.links.push({ ...link, target: restore(link.target), line: line + reader.firstLine - 1, offset })
}

function addReference(node, reader, embed) {
  if (reader.profile === 'obsidian') return
  add(reader, node, { form: 'reference', embed, target: reader.definitions.get(node.identifier) })
}

function isAutolink(node, source) {
  const { start, end } = node.position
  const written = source.slice(start.offset, end.offset)
  return !written.startsWith('[') || !written.endsWith(')')
}

function headingText(node, source) {
  if (node.children.length === 0) return ''
  const from = node.children[0].position.start.offset
  return restore(source.slice(from, node.children.at(-1).position.end.offset)).trim()
}

// A fence begins at its mark, indented code at its indentation.
function isIndented(node, source) {
  return /[ \t]/.test(source[node.position.start.offset])
}

/** C10: deep indentation inside a list item is not code, so parse its text as Markdown again. */
function readIndented(node, reader) {
  const lines = node.value.split('\n')
  const depth = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.match(/^[ \t]*/)[0].length))
  const firstLine = node.position.start.line + reader.firstLine - 1
  const text = lines.map((line) => line.slice(depth)).join('\n')
  const inner = parseBody(restore(text), { profile: reader.profile, firstLine })
  const offset = node.position.start.offset
  for (const link of inner.links) reader.links.push({ ...link, offset })
  for (const tag of inner.tags) reader.tags.push({ name: tag.name, offset })
}

/** M13: `href` of anchors and `src` of images, outside HTML comments; only in docs mode. */
function addHtml(node, reader) {
  const text = node.value.replace(/<!--[\s\S]*?(-->|$)/g, (comment) => comment.replace(/[^\n]/g, ' '))
  const tag = /<(a|img)\b(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>/gi
  for (const match of text.matchAll(tag)) {
    const name = match[1].toLowerCase() === 'a' ? 'href' : 'src'
    const value = match[0].match(new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'=<>\`]+))`, 'i'))
    if (!value) continue
    const target = unescapeHtml((value[1] ?? value[2] ?? value[3]).trim())
    const line = node.position.start.line + text.slice(0, match.index).split('\n').length - 1
    add(
      reader,
      { position: { start: { line, offset: node.position.start.offset } } },
      { form: 'html', embed: name === 'src', target },
    )
  }
}

function unescapeHtml(text) {
  return text.replace(/&(amp|quot|lt|gt|#39);/g, (_, name) => ({ amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'" })[name])
}

/**
 * `%%` in plain text opens a comment. At the start of a line it extends to the next mark or to the end; elsewhere to the next mark in the
 * same paragraph. Four or more percent signs are not a mark (C4).
 */
function commentRanges(source, { texts, headings }) {
  const headingAt = (at) => headings.find(({ offset, end }) => at >= offset && at < end)
  const marks = texts.flatMap(([from, slice]) =>
    [...slice.matchAll(/%{2,}/g)].filter((run) => run[0].length < 4).map((run) => from + run.index),
  )
  marks.sort((a, b) => a - b)
  const ranges = []
  for (let i = 0; i < marks.length; i++) {
    const atLineStart = /(^|\n)[ \t>]*$/.test(source.slice(Math.max(0, marks[i] - 200), marks[i]))
    const next = marks[i + 1]
    const isSameParagraph = () => headingAt(marks[i]) === headingAt(next) && !/\n[ \t>]*\n/.test(source.slice(marks[i], next))
    const closes = next !== undefined && (atLineStart || isSameParagraph())
    if (!closes && !atLineStart) continue
    ranges.push([marks[i], next ?? source.length])
    if (next !== undefined) i += 1
  }
  return ranges
}
