import fc from 'fast-check'
import type { Definition, Nodes, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { flavor } from './check.ts'
import { commonmark } from './soups.ts'

const parser = unified().use(remarkParse).use(remarkGfm)

/** Skips the few texts that fail an assertion in remark's development build. */
function parse(text: string): Root {
  try {
    return parser.parse(text)
  } catch {
    return fc.pre(false) as never
  }
}

/** Matches syntax that is not part of CommonMark. */
const OURS = /\[\[|\$|%|^---/
/** remark reads a tag on the line after an empty list item as text; in CommonMark it begins an HTML block. */
const DEFECT = /^[ \t>]*(?:[-+*]|\d+[.)])[ \t]*\n[ \t]*<[a-z/]/m
/** The same texts in every run: a new difference between two parsers must not fail an unrelated change. */
const SEED = 20_240_721

function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node)
  if ('children' in node) for (const child of node.children) walk(child, visit)
}

function definitionsOf(tree: Root): Map<string, string> {
  const found = new Map<string, string>()
  walk(tree, (node) => {
    if (node.type === 'definition' && !found.has((node as Definition).identifier)) found.set(node.identifier, node.url)
  })
  return found
}

function remarkLinks(text: string): readonly string[] {
  const tree = parse(text)
  const definitions = definitionsOf(tree)
  const links: string[] = []
  walk(tree, (node) => {
    const { position } = node
    if (!position) return
    const start = position.start.offset as number
    let url: string | undefined
    if ((node.type === 'link' || node.type === 'image') && /^!?\[/.test(text.slice(start, start + 2))) url = node.url
    else if (node.type === 'linkReference' || node.type === 'imageReference') url = definitions.get(node.identifier)
    if (url && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url)) links.push(`${start}-${position.end.offset} ${url}`)
  })
  return links.sort()
}

function ourLinks(text: string): readonly string[] {
  const { links } = parseNote(text, flavor({ mode: 'foam' }))
  return links
    .map(({ start, end, target, subpath }) => `${start}-${end} ${target}${subpath === undefined ? '' : `#${subpath}`}`)
    .sort()
}

test("where CommonMark decides, Markdown links equal remark's", () => {
  fc.assert(
    fc.property(
      commonmark.filter((text) => !OURS.test(text) && !DEFECT.test(text)),
      (text) => {
        expect(ourLinks(text)).toEqual(remarkLinks(text))
      },
    ),
    { numRuns: 3_000, seed: SEED },
  )
})

test('finds wikilinks where remark finds text', () => {
  const spaced = fc.array(fc.oneof(fc.constant(' [[w]] '), commonmark), { maxLength: 5 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      spaced.filter((text) => !/[$%]|^---|\\<|\[\[(?!w\]\])|\[\[\[|\\\[\[|!\[\[|\]\]\]|!\[/.test(text)),
      (text) => {
        const shown: number[] = []
        walk(parse(text), ({ type, position }) => {
          if (type !== 'text' || !position) return
          const start = position.start.offset as number
          for (const { index } of text.slice(start, position.end.offset).matchAll(/\[\[w\]\]/g)) shown.push(start + index)
        })
        const ours = parseNote(text, flavor({ mode: 'foam' })).links.filter(({ form }) => form === 'wikilink')
        expect(ours.map(({ start }) => start)).toEqual(shown.sort((a, b) => a - b))
      },
    ),
    { numRuns: 2_000, seed: SEED },
  )
})
