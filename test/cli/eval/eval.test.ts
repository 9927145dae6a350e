import { describe, expect, test } from 'vitest'
import { meaningGains, type VaultReport } from '../../../src/app/eval/report.ts'
import { renderVaultReport } from '../../../src/cli/eval/eval.ts'
import type { NodeId } from '../../../src/core/ids.ts'
import { commandLine } from '../support.ts'

describe('roux eval', () => {
  test('evaluates a vault by words if there is no embedder', async () => {
    const { roux, clean } = commandLine()
    const files = { 'compost.md': { body: 'Fungi and bacteria.' } }
    const snapshot = { words: async () => ({ hits: [], coverage: 0, terms: [] }) }
    const { code, out, err } = await roux(['eval', '--json'], { files, snapshot })
    clean()
    expect(err).not.toContain('error')
    expect(code).toBe(0)
    const report = JSON.parse(out)
    expect(report).toMatchObject({ seed: 1, embedder: null })
    expect(report.scores[0]).toMatchObject({ kind: 'title', mode: 'keyword', queries: 1, hit1: { value: 1 } })
  })

  test('shows tables in a terminal', async () => {
    const { roux, clean } = commandLine()
    const files = { 'compost.md': { body: 'Fungi and bacteria.' } }
    const snapshot = { words: async () => ({ hits: [], coverage: 0, terms: [] }) }
    const { out } = await roux(['eval'], { files, snapshot, tty: true })
    clean()
    expect(out).toMatch(/title +keyword +1 +100\.0 \[20\.7, 100\.0\]/)
    expect(out).toMatch(/^all +keyword /m)
  })

  test('refuses a count below one', async () => {
    const { roux, clean } = commandLine()
    const none = await roux(['eval', '--queries', '0'])
    clean()
    expect(none.code).toBe(2)
    expect(none.err).toContain('--queries must be 1 or more')
  })
})

const SURE = { value: 1, low: 0.342, high: 1 }
const REPORT: VaultReport = {
  vault: '/vault',
  seed: 1,
  embedder: null,
  scores: [{ kind: 'title', mode: 'hybrid', queries: 2, hit1: SURE, hit5: SURE, ndcg: SURE, median: 1.9, p99: 32.7 }],
  meaning: [],
  slowest: [],
  missed: [],
}

test('shows intervals in a wide terminal', () => {
  const [, , head = '', row = ''] = renderVaultReport(REPORT, { width: 120 }).split('\n')
  expect(head).toContain('hit@1 % [95 %]')
  expect(row).toContain('100.0 [34.2, 100.0]  1.0000 [0.3420, 1.0000]')
})

test('leaves out intervals in a narrow terminal instead of cutting them', () => {
  expect(renderVaultReport(REPORT, { width: 80 })).toBe(`Found by words only

asked by  mode    queries  hit@1 %  hit@5 %  nDCG@10  ms p50 / p99
title     hybrid        2    100.0    100.0   1.0000    1.9 / 32.7
A wider terminal shows the intervals too, and so does --json.
`)
})

test("shows the gain by meaning separately for queries in other words and in the note's own words", () => {
  const meaning = [
    { kind: 'title', gain: { value: 0, low: 0, high: 0 } },
    { kind: 'link sentence', gain: { value: 0.05, low: 0.02, high: 0.08 } },
    { kind: 'first sentence', gain: { value: -0.02, low: -0.03, high: -0.01 } },
  ] as const
  expect(renderVaultReport({ ...REPORT, meaning }, { width: 120 })).toContain(
    `Gain from search by meaning for questions in other words than the note's (nDCG@10 minus that by words): link sentence
  +0.050 [+0.020, +0.080] (better).
Its effect on queries in the note's own words: title +0.000 [+0.000, +0.000]; first sentence -0.020 [-0.030, -0.010]
  (worse).
`,
  )
})

test('the gain is computed per query: hybrid minus keyword', () => {
  const answered = (ranks: readonly number[]) =>
    ranks.map((rank) => ({ item: { kind: 'title' as const, query: 'q', expected: 'a.md' as NodeId }, rank, ms: 1 }))
  const modes = [
    { mode: 'keyword' as const, results: answered([2, 0]) },
    { mode: 'hybrid' as const, results: answered([1, 2]) },
  ]
  expect(meaningGains(modes).map(({ kind, gain }) => [kind, gain.value])).toEqual([
    // The relevant note rises from rank 2 to rank 1 for one question, and from nothing to rank 2 for another.
    ['title', expect.closeTo((1 - 1 / Math.log2(3) + 1 / Math.log2(3)) / 2)],
  ])
  expect(meaningGains(modes.slice(0, 1))).toEqual([])
})
