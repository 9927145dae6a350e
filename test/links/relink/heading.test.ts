import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Mode } from '../../../src/core/note.ts'
import { planHeadingLinks } from '../../../src/links/relink/plan-heading.ts'
import { namedHeadings } from '../../../src/links/subpath.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { applyPlan, LENIENT, TextVault } from './rig.ts'

interface Case {
  readonly outline: string
  /** Which heading to rename, and its new text. */
  readonly index: number
  readonly to: string
  readonly mode?: Mode
  readonly source?: string
}

function renamed({ outline, index, to, mode = 'obsidian', source = 's.md' }: Case, text: string) {
  const flavor = { ...LENIENT, mode }
  const vault = new TextVault({ 'n.md': outline, [source]: text }, flavor)
  const { headings } = parseNote(outline, flavor)
  const after = headings.map((each, at) => (at === index ? { ...each, text: to } : each))
  const plan = planHeadingLinks(
    vault.sources(),
    { key: vault.keys.get('n.md') as number, before: headings, after, mode },
    vault.texts,
  )
  return { edited: applyPlan(vault.files, plan), lost: plan.lost.map(({ reason }) => reason), vault, headings }
}

function check(given: Case, before: string, after: string): void {
  const { edited, lost } = renamed(given, before)
  expect(edited[given.source ?? 's.md']).toBe(after)
  expect(lost).toEqual([])
}

const OUTLINE = '# Old\n\n## Part\n\n## Old\n\n# Other one\n'

describe('links follow a renamed heading', () => {
  const first = { outline: OUTLINE, index: 0, to: 'New name' }
  test.each([
    ['by its text', '[[n#Old]] ![[n#old|x]] [[n#Part]]', '[[n#New name]] ![[n#New name|x]] [[n#Part]]'],
    ['through it', '[[n#Old#Part]]', '[[n#New name#Part]]'],
    ['after a space', '[[n# Old]]', '[[n# New name]]'],
    ['Markdown', '[x](n.md#Old) [x](<n.md#Old> "T")', '[x](n.md#New%20name) [x](<n.md#New name> "T")'],
    ['anchor', '[x](n.md#old)', '[x](n.md#new-name)'],
    ['definition', '[r]\n\n[r]: n.md#Old', '[r]\n\n[r]: n.md#New%20name'],
    ['property', '---\nup: "[[n#Old]]"\n---\n', '---\nup: "[[n#New name]]"\n---\n'],
    ['not blocks, nothing, what is not there', '[[n#^old]] [[n]] [[n#Nope]] [[Old]]', '[[n#^old]] [[n]] [[n#Nope]] [[Old]]'],
  ])('%s', (_, before, after) => check(first, before, after))

  test('in the note itself', () => {
    const { edited } = renamed({ outline: `${OUTLINE}\n[[#Old]] [x](#old) [[n#Old|y]]`, index: 0, to: 'New' }, '')
    expect(edited['n.md']).toBe(`${OUTLINE}\n[[#New]] [x](#new) [[n#New|y]]`)
  })

  test('in a canvas', () => {
    const canvas = '{"nodes":[{"type":"file","file":"n.md","subpath":"#Old#Part"},{"type":"text","text":"[[n#Old]]"}]}'
    check({ ...first, to: 'A "b"', source: 'c.canvas' }, canvas, canvas.replaceAll('Old', 'A \\"b\\"'))
  })

  test('leaves out characters that have a meaning in links', () => {
    check({ ...first, to: 'A [[b|c]] #d' }, '[[n#Old]]', '[[n#A b c d]]')
  })

  test('in docs mode, a lower-case word is an anchor', () => {
    check({ outline: '# setup', index: 0, to: 'Set it up!', mode: 'docs' }, '[x](n.md#setup)', '[x](n.md#set-it-up)')
    check({ outline: '# setup', index: 0, to: 'Set it up!' }, '[x](n.md#setup)', '[x](n.md#Set%20it%20up!)')
  })

  test('keeps the style of dashes', () => {
    check({ outline: '# A & b', index: 0, to: 'C & d' }, '[x](n.md#a--b) [x](n.md#a-b)', '[x](n.md#c--d) [x](n.md#c-d)')
  })
})

describe('headings with the same text', () => {
  test('links lead to the first heading and follow it, not the second', () => {
    check({ outline: OUTLINE, index: 2, to: 'New' }, '[[n#Old]] [[n#Old#Old]]', '[[n#Old]] [[n#Old#New]]')
  })

  test('a new text that hides another heading qualifies links to that heading', () => {
    check({ outline: '# A\n\n# Top\n\n## B\n', index: 0, to: 'B' }, '[[n#B]] [[n#A]]', '[[n#Top#B]] [[n#B]]')
  })

  test('numbered anchors are counted again', () => {
    check(
      { outline: '# Rye\n\n# Rye\n\n# Rye', index: 0, to: 'Oat' },
      '[x](n.md#rye-2) [x](n.md#rye)',
      '[x](n.md#rye-1) [x](n.md#oat)',
    )
  })

  test('a heading that links cannot distinguish is reported as unwritable', () => {
    expect(renamed({ outline: '# A\n\n# B', index: 0, to: 'B' }, '[[n#B]]').lost).toEqual(['unwritable'])
  })
})

test('with any outline, links lead to the same headings as before', () => {
  const name = fc.constantFrom('A', 'B', 'a b', 'C!', 'c', '[[A]]', '1')
  const outline = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), name), { minLength: 1, maxLength: 7 })
  const parts = fc.array(name, { minLength: 1, maxLength: 3 })
  const anchors = fc.constantFrom('a', 'b', 'a-b', 'c-1', 'a-1', 'b-2')
  fc.assert(
    fc.property(outline, fc.nat(6), name, fc.array(parts, { maxLength: 5 }), anchors, (levels, at, to, paths, anchor) => {
      const text = levels.map(([level, each]) => `${'#'.repeat(level)} ${each}`).join('\n\n')
      const links = [
        ...paths.map((path) => `[[n#${path.map((each) => each.replace(/[[\]]/g, '')).join('#')}]]`),
        `[x](n.md#${anchor})`,
      ]
      const index = at % levels.length
      const { edited, lost, vault, headings } = renamed({ outline: text, index, to }, links.join('\n'))
      const after = headings.map((each, i) => (i === index ? { ...each, text: to } : each))
      const leadsTo = (subpath = '', among = headings) => namedHeadings(subpath, among)?.at.at(-1)
      const now = parseNote(edited['s.md'] ?? '', LENIENT).links
      const wrong = vault.source('s.md')?.links.filter((link, i) => {
        const wanted = leadsTo(link.subpath)
        return wanted !== undefined && leadsTo(now[i]?.subpath, after) !== wanted
      })
      expect(wrong?.length).toBe(lost.length)
    }),
    { numRuns: 500 },
  )
})
