import { describe, expect, test } from 'vitest'
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
