import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { subpathTest } from '../../src/links/subpath.ts'
import { parseNote } from '../../src/markdown/parse-note.ts'

const TEXT = `# Bread

A loaf. ^loaf-1

## What's new, in *2024*?

### Rye

## Rye

### [[Sour|Sour dough]] & time

## Über [yeast](yeast.md) {#yeast-id}

# Rye

#### Deep
`
const anchors = (text: string) => parseNote(text, { profile: 'lenient', mode: 'obsidian', comments: true })
const has = (subpath: string, text = TEXT) => subpathTest(anchors(text))(subpath)

describe('existing subpaths', () => {
  test.each([
    ['the note itself', ''],
    ['a heading', 'Bread'],
    ['in another case', 'bREAD'],
    ['with spaces around', ' Bread '],
    ['without its punctuation', "What's new in 2024"],
    ['with it', "What's new, in *2024*?"],
    ['a wikilink in a heading, as Obsidian writes it', 'Sour Sour dough time'],
    ['a heading below another', 'Bread#Rye'],
    ['with levels left out', 'Bread#Sour Sour dough & time'],
    ['each level named', 'Bread#Rye#Sour Sour dough & time'],
    ['a level that is skipped', 'Rye#Deep'],
    ['a block', '^loaf-1'],
    ['a block in another case', '^LOAF-1'],
    ['a block behind a heading', 'Bread#^loaf-1'],
    ['an anchor', 'whats-new-in-2024'],
    ['a numbered anchor', 'rye-1'],
    ['an anchor with letters of every script', 'über-yeast'],
    ['an anchor that is written out', 'yeast-id'],
    ['the top of a page', 'top'],
  ])('%s', (_, subpath) => {
    expect(has(subpath)).toBe(true)
  })
})

describe('missing subpaths', () => {
  test.each([
    ['no such heading', 'Cake'],
    ['only a part of one', 'Brea'],
    ['below the wrong heading', 'Rye#Bread'],
    ['a heading of another branch', 'Bread#Deep'],
    ['no such block', '^loaf'],
    ['a heading that is named like a block', '^Bread'],
    ['a number where nothing is called alike', 'bread-1'],
    ['only the upper heading', 'Bread#Cake'],
  ])('%s', (_, subpath) => {
    expect(has(subpath)).toBe(false)
  })

  test('a note without headings', () => {
    expect(has('Bread', 'Bread')).toBe(false)
    expect(has('', '')).toBe(true)
  })
})

test('finds every heading of any outline by itself and by its full path', () => {
  const name = fc.stringMatching(/^[a-c]{1,2}$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), name), { minLength: 1 }), (outline) => {
      const headings = outline.map(([level, text], index) => ({ level, text, line: index + 1 }))
      const path: [level: number, name: string][] = []
      for (const [level, text] of outline) {
        while ((path.at(-1)?.[0] ?? 0) >= level) path.pop()
        path.push([level, text])
        expect(subpathTest({ headings, blocks: [] })(text.toUpperCase())).toBe(true)
        expect(subpathTest({ headings, blocks: [] })(path.map(([, each]) => each).join('#'))).toBe(true)
      }
    }),
  )
})

test('returns an answer for any subpath and any headings', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (subpath, texts) => {
      const headings = texts.map((text, index) => ({ level: (index % 6) + 1, text, line: index + 1 }))
      expect(typeof subpathTest({ headings, blocks: texts })(subpath)).toBe('boolean')
    }),
  )
})
