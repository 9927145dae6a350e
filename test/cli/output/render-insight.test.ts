import { expect, test } from 'vitest'
import type { GapList } from '../../../src/app/insight/gaps.ts'
import type { VaultMap } from '../../../src/app/insight/map.ts'
import type { SuggestionList } from '../../../src/app/insight/suggest-links.ts'
import { renderGaps, renderMap, renderSuggestions } from '../../../src/cli/output/render-insight.ts'
import { toNodeId } from '../../../src/core/ids.ts'

const LIST: SuggestionList = {
  total: 2,
  suggestions: [
    {
      from: toNodeId('recipes/rolls.md'),
      to: toNodeId('bulk.md'),
      title: 'Bulk fermentation',
      score: 0.98,
      why: ['mention', 'words'],
      kind: 'named',
      line: 22,
      text: 'One hour in bulk.',
      edit: {
        tool: 'update_node',
        arguments: {
          id: toNodeId('recipes/rolls.md'),
          expected_hash: 'a',
          replace_text: { find: 'bulk', replace: '[[Bulk fermentation|bulk]]', line: 22 },
        },
      },
    },
    {
      from: toNodeId('rye.md'),
      to: toNodeId('malt.md'),
      title: 'Malt\u001b[2J',
      score: 0.4,
      why: ['links'],
      kind: 'related',
      section: ['Rye', 'Color'],
    },
  ],
}

test('shows missing links with their place, line and edit', () => {
  expect(renderSuggestions(LIST, { paint: (_, text) => text })).toBe(
    `Bulk fermentation  0.98  mention, words
from recipes/rolls.md, line 22, to bulk.md
  One hour in bulk.
  → [[Bulk fermentation|bulk]]

Malt[2J  0.40  links
from rye.md, in Rye › Color, to malt.md
`,
  )
})

test('says that there are no missing links', () => {
  expect(renderSuggestions({ suggestions: [], total: 0 }, { paint: (_, text) => text })).toBe('Nothing found.\n')
})

test('shows how many links two communities have, and how many chance would give them', () => {
  const apart = [{ of: ['c1', 'c2'], labels: ['Rye', 'Wheat'], links: 7, expected: 14.7, pairs: [] }]
  expect(renderGaps({ apart, totals: { apart: 1 } } as unknown as GapList, {})).toBe(
    'Similar communities with few links (1)\n  Rye | Wheat: 7 links, 14.7 expected by chance  apart:c1,c2\n',
  )
})

test('says how many notes belong to no community', () => {
  const map = { notes: 1, links: 0, communities: [], between: [], stubs: 0, alone: 1 } as unknown as VaultMap
  expect(renderMap(map, {})).toBe('1 note, 0 links, 0 communities.\n1 note belongs to no community.\n')
})

test('gaps fit a narrow terminal, and the ids for further commands stay whole', () => {
  const apart = [{ of: ['c1', 'c2'], labels: ['Rye bread', 'Wheat bread'], links: 7, expected: 14.7, pairs: [] }]
  const first = [{ id: 'a long folder/a note with a long name.md', title: 'A note with a long name' }]
  const gaps = { apart, dead_ends: { first }, totals: { apart: 1, dead_ends: 1 } } as unknown as GapList
  expect(renderGaps(gaps, { width: 40 })).toBe(`Similar communities with few links (1)
  Rye bread | Wheat bread: 7 links,
    14.7 expected by chance  apart:c1,c2

Dead ends (1)
  A note with a long name
    dead_ends:a long folder/a note with a long name.md
`)
})
