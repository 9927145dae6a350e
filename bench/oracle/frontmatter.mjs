/** Frontmatter: its bounds, its properties, and their links, tags, aliases and title. */
import { isAlias, isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { onlyLink } from './body.mjs'
import { tagOfProperty } from './tags.mjs'

/** @typedef {import('./body.mjs').RawLink} RawLink */

/**
 * @typedef {object} Properties
 * @property {RawLink[]} links
 * @property {string[]} tags
 * @property {string[]} aliases
 * @property {string | undefined} title
 * @property {boolean} malformed
 */

/**
 * Splits a file's text. Without a closing fence, everything is body (V13).
 * @param {string} text line ends as LF
 * @returns {{ yaml: string | undefined, body: string, bodyLine: number }}
 */
export function splitFrontmatter(text) {
  const open = text.match(/^---[ \t]*\n/)
  const close = open && text.slice(open[0].length - 1).match(/\n---[ \t]*(\n|$)/)
  if (!close) return { yaml: undefined, body: text, bodyLine: 1 }
  const yamlEnd = open[0].length - 1 + close.index + 1
  const bodyStart = open[0].length - 1 + close.index + close[0].length
  const yaml = text.slice(open[0].length, Math.max(open[0].length, yamlEnd))
  return { yaml, body: text.slice(bodyStart), bodyLine: text.slice(0, bodyStart).split('\n').length }
}

/**
 * @param {string} source the text between the fences
 * @param {'lenient' | 'obsidian'} profile
 * @returns {Properties}
 */
export function readProperties(source, profile) {
  const lines = new LineCounter()
  const document = parseDocument(source, { version: '1.2', schema: 'core', uniqueKeys: true, lineCounter: lines })
  const root = document.contents
  if (root === null && document.errors.length === 0) return noProperties()
  if (document.errors.length > 0 || !isMap(root) || hasAnchors(document)) return salvage(source, profile)
  const reader = { source, profile, lines, links: [] }
  for (const pair of root.items) readLinks(pair.value, keyOf(pair), reader)
  return {
    links: reader.links,
    tags: tagsOf(root, profile),
    aliases: aliasesOf(root, profile),
    title: titleOf(root),
    malformed: false,
  }
}

function noProperties() {
  return { links: [], tags: [], aliases: [], title: undefined, malformed: false }
}

// PR3: anchors and aliases are rejected.
function hasAnchors(document) {
  let found = false
  visit(document, (_, node) => {
    if (isAlias(node) || node?.anchor) found = true
    return found ? visit.BREAK : undefined
  })
  return found
}

const keyOf = (pair) => String(isScalar(pair.key) ? pair.key.value : pair.key)

function valuesOf(root, names) {
  return root.items.filter((pair) => names.includes(keyOf(pair).toLowerCase())).map((pair) => pair.value)
}

function readLinks(node, property, reader) {
  if (isScalar(node) && typeof node.value === 'string') return readString(node, property, reader)
  if (isSeq(node)) {
    if (reader.profile === 'lenient' && isBareWikilink(node)) return readBare(node, property, reader)
    for (const item of node.items) readLinks(item, property, reader)
  } else if (isMap(node)) {
    for (const pair of node.items) readLinks(pair.value, `${property}.${keyOf(pair)}`, reader)
  }
}

/** F5: YAML reads `up: [[a]]` as a list in a list. */
function isBareWikilink(node) {
  const inner = node.items[0]
  return (
    node.flow &&
    node.items.length === 1 &&
    isSeq(inner) &&
    inner.flow &&
    inner.items.length > 0 &&
    !inner.items.some(isCollection)
  )
}

function readBare(node, property, reader) {
  const written = reader.source.slice(node.range[0], node.range[1])
  const match = written.match(/^\[\[([^\n]*)\]\]$/)
  if (match) addLink(reader, node, property, { form: 'wiki', embed: false, target: match[1] })
}

function readString(node, property, reader) {
  if (reader.profile === 'lenient') {
    for (const { target, embed, at } of wikilinksIn(node.value)) {
      addLink(reader, node, property, { form: 'wiki', embed, target }, at)
    }
  } else {
    const [whole] = wikilinksIn(node.value)
    if (whole?.written === node.value.trim()) {
      addLink(reader, node, property, { form: 'wiki', embed: whole.embed, target: whole.target })
    }
  }
  // F3: a Markdown link counts only if it is the whole value.
  const markdown = onlyLink(node.value)
  if (markdown) addLink(reader, node, property, markdown)
}

function addLink(reader, node, property, link, at = 0) {
  // The YAML starts on line 2 of the file, and the text of a block scalar starts one line below its mark.
  const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
  const first = reader.lines.linePos(node.range[0]).line + 1
  const line = isBlock ? first + 1 + node.value.slice(0, at).split('\n').length - 1 : first
  reader.links.push({ ...link, line, property })
}

function* wikilinksIn(text) {
  for (const match of text.matchAll(/!?\[\[(?!\[)((?:(?!\[\[|\]\])[^\n])*)\]\]/g)) {
    if (match[1].trim() === '') continue
    yield { written: match[0], embed: match[0].startsWith('!'), target: match[1], at: match.index }
  }
}

function stringsOf(node) {
  if (isScalar(node)) return [node.value]
  return isSeq(node) ? node.items.filter(isScalar).map((item) => item.value) : []
}

function tagsOf(root, profile) {
  const names = profile === 'lenient' ? ['tags', 'tag'] : ['tags']
  const items = valuesOf(root, names)
    .flatMap(stringsOf)
    .filter((item) => typeof item === 'string')
  return items
    .flatMap((item) => splitTags(item, profile))
    .map(tagOfProperty)
    .filter(Boolean)
}

// T13
const splitTags = (item, profile) => (profile === 'lenient' ? item.split(/[,\s]+/) : [item])

function aliasesOf(root, profile) {
  const names = profile === 'lenient' ? ['aliases', 'alias'] : ['aliases']
  return valuesOf(root, names).flatMap((node) => aliasItems(node, profile))
}

function aliasItems(node, profile) {
  const items = stringsOf(node).filter((item) => item !== null && item !== undefined)
  const texts = items.map((item) => String(item).trim()).filter((item) => item !== '')
  return isSeq(node) ? texts : texts.flatMap((text) => withParts(text, profile))
}

/** A2: a string with commas is one alias; a server also accepts its parts. */
function withParts(text, profile) {
  if (profile === 'obsidian' || !text.includes(',')) return [text]
  return [
    text,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ]
}

function titleOf(root) {
  const value = valuesOf(root, ['title']).flatMap(stringsOf)[0]
  const text = value === null || value === undefined ? '' : String(value).trim()
  return text === '' ? undefined : text
}

/** V14: a server still reads `tags` and `aliases` of malformed YAML, line by line. */
function salvage(source, profile) {
  const malformed = { ...noProperties(), malformed: true }
  if (profile === 'obsidian') return malformed
  const found = { tags: [], aliases: [] }
  let list
  for (const line of source.split('\n')) {
    const key = line.match(/^["']?(tags?|alias(?:es)?)["']?[ \t]*:(?:[ \t]+(.*)|[ \t]*)$/i)
    const item = line.match(/^[ \t]*-[ \t]+(.*)$/)
    if (key) {
      list = /^tag/i.test(key[1]) ? found.tags : found.aliases
      list.push(...salvageValue(key[2] ?? '', profile))
    } else if (item && list) {
      list.push(plain(item[1]))
    } else if (/^\S/.test(line) && !line.startsWith('#')) {
      list = undefined
    }
  }
  const tags = found.tags
    .flatMap((tag) => splitTags(tag, profile))
    .map(tagOfProperty)
    .filter(Boolean)
  return { ...malformed, tags, aliases: found.aliases.filter((alias) => alias !== '') }
}

function salvageValue(text, profile) {
  const value = text.trim()
  const flow = value.match(/^\[(.*)\]$/)
  if (flow) return flow[1].split(',').map(plain)
  return value === '' ? [] : withParts(plain(value), profile)
}

function plain(text) {
  const value = text.trim()
  const quoted = value.match(/^(["'])(.*)\1$/)
  return quoted ? quoted[2] : value.replace(/\s#.*$/, '')
}
