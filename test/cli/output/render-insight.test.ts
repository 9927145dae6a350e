import { expect, test } from 'vitest'
import type { SuggestionList } from '../../../src/app/insight/suggest-links.ts'
import { renderSuggestions } from '../../../src/cli/output/render-insight.ts'
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
