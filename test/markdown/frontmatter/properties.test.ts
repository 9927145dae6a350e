import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Flavor, Link, Note } from '../../../src/core/note.ts'
import { parseCanvas } from '../../../src/markdown/json-canvas/parse-canvas.ts'
import { findBlock, findHeadings, outlineOf } from '../../../src/markdown/outline.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { excerptOf } from '../../../src/markdown/prose/excerpt.ts'
import { legible } from '../../../src/markdown/prose/legible.ts'
import { sentenceAt } from '../../../src/markdown/prose/sentences.ts'
import { soup } from '../soups.ts'

const flavors = fc.record<Flavor>({
  profile: fc.constantFrom('lenient', 'obsidian'),
  mode: fc.constantFrom('obsidian', 'foam', 'logseq', 'docs'),
  comments: fc.boolean(),
})

/** What the raw text of a link looks like. */
const SHAPES: Readonly<Record<Link['form'], RegExp>> = {
  wikilink: /^!?\[\[[^\n]+\]\]$/,
  markdown: /^!?\[[\s\S]*\]\([\s\S]*\)$/,
  reference: /^!?\[[\s\S]*\]$/,
  html: /^<(?:a|img)\s[\s\S]*>$/i,
  page: /^#\[\[[^\n]+\]\]$/,
  canvas: /^"[\s\S]*"$/,
}

function checkPlaces(text: string, { links }: Note): void {
  let last = -1
  for (const { form, property, line, column, start, end } of links) {
    const raw = text.slice(start, end)
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    expect(column).toBe(start - lineStart + 1)
    expect(line).toBe(text.slice(0, start).split('\n').length)
    expect(start).toBeGreaterThanOrEqual(last)
    last = start
    // A property's link may be written with escapes; then its place is the value's.
    if (property === undefined) expect(raw).toMatch(SHAPES[form])
  }
}

test('any text is read without an exception, and positions agree', () => {
  fc.assert(
    fc.property(soup, flavors, (text, flavor) => {
      const note = parseNote(text, flavor)
      checkPlaces(text, note)
      expect(JSON.parse(JSON.stringify(note.properties))).toEqual(note.properties)
      expect(note.bodyStart).toBeLessThanOrEqual(text.length)
      const lines = text.split('\n')
      for (const { line } of [...note.headings, ...note.tags, ...note.malformed]) expect(lines[line - 1]).toBeDefined()
      for (const { name, line, inBody } of note.tags) if (inBody) expect(lines[line - 1]).toContain(`#${name}`)
    }),
    { numRuns: 20_000 },
  )
})

test('what is counted for the style depends on the flavor only in outlines of Logseq', () => {
  const unmarked = flavors.filter(({ mode }) => mode !== 'logseq')
  fc.assert(
    fc.property(soup, unmarked, unmarked, (text, one, other) => {
      expect(parseNote(text, one).style).toEqual(parseNote(text, other).style)
    }),
    { numRuns: 5_000 },
  )
})

test('an indented bullet is a link in an outline of Logseq, and code elsewhere', () => {
  const styleOf = (mode: Flavor['mode']) => parseNote('\t- [a](b)', { profile: 'lenient', mode, comments: false }).style
  expect(styleOf('logseq')).toEqual({ wikilinks: 0, relativeLinks: 1 })
  for (const mode of ['obsidian', 'foam', 'docs'] as const) expect(styleOf(mode)).toEqual({ wikilinks: 0, relativeLinks: 0 })
})

test('CRLF is read like LF', () => {
  fc.assert(
    fc.property(soup, flavors, (text, flavor) => {
      const lf = text.replaceAll('\r', '')
      const one = parseNote(lf, flavor)
      const other = parseNote(lf.replaceAll('\n', '\r\n'), flavor)
      const facts = ({ links, tags, headings, blocks }: Note) => ({
        links: links.map(({ kind, target, subpath, line, column }) => ({ kind, target, subpath, line, column })),
        tags,
        headings,
        blocks,
      })
      expect(facts(other)).toEqual(facts(one))
    }),
    { numRuns: 5_000 },
  )
})

test('canvases are read without an exception, and positions agree', () => {
  const card = fc.record(
    { type: fc.constantFrom('text', 'file', 'link', 'x'), text: soup, file: fc.string(), subpath: fc.string() },
    { requiredKeys: [] },
  )
  const canvas = fc
    .record({ nodes: fc.array(fc.oneof(card, fc.anything()), { maxLength: 4 }) })
    .map((value) => JSON.stringify(value, undefined, 1))
  fc.assert(
    fc.property(fc.oneof(canvas, soup), flavors, (text, flavor) => {
      const note = parseCanvas(text, flavor)
      for (const { line, start } of note.links) expect(line).toBe(text.slice(0, start).split('\n').length)
    }),
    { numRuns: 3_000 },
  )
})

test('sections, sentences and excerpts stay within the text and split no pair', () => {
  const unpaired = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
  fc.assert(
    fc.property(soup, fc.nat(60), (source, max) => {
      const text = source.replace(new RegExp(unpaired, 'g'), '')
      const note = parseNote(text, { profile: 'lenient', mode: 'obsidian', comments: true })
      const outline = outlineOf(text, { mode: 'obsidian' })
      for (const { text: heading, line } of note.headings) {
        const found = findHeadings(outline.headings, [heading])
        if (note.headings.filter((each) => each.text === heading).length === 1 && found.length === 1)
          expect(outline.headings[found[0] ?? -1]?.line).toBe(line)
      }
      for (const id of note.blocks) expect(findBlock(text, outline, id)?.end ?? 0).toBeLessThanOrEqual(text.length)
      for (const { start, end } of note.links) {
        const sentence = sentenceAt(text, start, end)
        expect(sentence.length).toBeLessThanOrEqual(300)
        expect(sentence).not.toMatch(unpaired)
        expect(sentence).not.toMatch(/\n|^\s|\s$/)
      }
      const { excerpt } = excerptOf(text, note.bodyStart, max)
      expect(excerpt.length).toBeLessThanOrEqual(max)
      expect(excerpt).not.toMatch(unpaired)
      if (legible(text) === text) expect(text).toContain(excerpt)
    }),
    { numRuns: 5_000 },
  )
})
