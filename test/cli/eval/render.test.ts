import { expect, test } from 'vitest'
import type { VaultReport } from '../../../src/app/eval/report.ts'
import { renderVaultReport } from '../../../src/cli/eval/render.ts'

const SURE = { value: 1, low: 0.342, high: 1 }
const REPORT: VaultReport = {
  vault: '/vault',
  seed: 1,
  embedder: null,
  scores: [{ kind: 'title', mode: 'hybrid', queries: 2, hit1: SURE, hit5: SURE, mrr: SURE, median: 1.9, p99: 32.7 }],
  slowest: [],
  missed: [],
}

test('figures stand with their intervals where there is room', () => {
  const [, , head = '', row = ''] = renderVaultReport(REPORT, { width: 120 }).split('\n')
  expect(head).toContain('hit@1 % [95 %]')
  expect(row).toContain('100.0 [34.2, 100.0]  1.0000 [0.3420, 1.0000]')
})

test('in a narrow terminal they stand without, and nothing is cut', () => {
  expect(renderVaultReport(REPORT, { width: 80 })).toBe(`Found by words only

asked by  mode    queries  hit@1 %  hit@5 %  MRR@10  ms p50 / p99
title     hybrid        2    100.0    100.0  1.0000    1.9 / 32.7
A wider terminal shows the intervals too, and so does --json.
`)
})
