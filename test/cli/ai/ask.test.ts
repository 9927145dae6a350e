import { expect, test } from 'vitest'
import { answerText } from '../../../src/cli/ai/ai.ts'
import { toNodeId } from '../../../src/core/ids.ts'

test('cited note text contains no terminal control characters', () => {
  const shown = answerText({
    status: 'answered',
    answer: 'Salt slows it. [1](roux://node/a.md)',
    citations: [
      {
        n: 1,
        id: toNodeId('a\u001b[2J.md'),
        title: 'A',
        heading: ['Salt\u009b31m'],
        start_line: 3,
        end_line: 4,
        quote: 'Salt \u001b]8;;https://collect.example\u0007slows\u202e\nit.',
        support: 'ok',
      },
    ],
    uncited: [],
    removed: { citations: 0, links: 0 },
    passages_used: 1,
    model: 'm',
    location: 'local',
    usage: { input: 1, output: 1, estimated: false },
  })
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  expect(shown).toContain('[1] a[2J.md › Salt31m, lines 3–4\n    Salt ]8;;https://collect.exampleslows it.')
})
