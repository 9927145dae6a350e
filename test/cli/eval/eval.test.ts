import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readCollection, writeVault } from '../../../src/cli/eval/collection.ts'
import { readSides } from '../../../src/cli/eval/sides.ts'
import { commandLine } from '../support.ts'

const root = mkdtempSync(join(tmpdir(), 'roux-eval-test-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const CORPUS = '{"id": "d1", "title": "Worms\\nand \\"air\\"", "text": "They dig."}\n{"id": 2, "text": "Untitled."}\n'
const QUERIES = '{"id": "q1", "text": "who digs?"}\n{"id": "q2", "text": "no one judged"}\n'

function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

describe('a collection', () => {
  test('is read, with judgements of three or four columns, and without queries that no one judged', () => {
    const qrels = 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1 0 2 0\nq2\td1\t0\n'
    const folder = folderWith('good', { 'corpus.jsonl': CORPUS, 'queries.jsonl': QUERIES, 'qrels.tsv': qrels })
    const collection = readCollection(folder)
    expect(collection.name).toBe('good')
    expect(collection.documents).toEqual([
      { id: 'd1', title: 'Worms and "air"', text: 'They dig.' },
      { id: '2', title: '', text: 'Untitled.' },
    ])
    expect(collection.queries.map(({ id, gains }) => [id, [...gains]])).toEqual([
      [
        'q1',
        [
          ['d1', 2],
          ['2', 0],
        ],
      ],
    ])

    const vault = join(root, 'vault')
    mkdirSync(vault)
    const { documentOf } = writeVault(vault, collection)
    expect(readFileSync(join(vault, '0/document-0.md'), 'utf8')).toBe('---\ntitle: "Worms and \\"air\\""\n---\nThey dig.\n')
    expect(readFileSync(join(vault, '0/document-1.md'), 'utf8')).toBe('Untitled.\n')
    expect(documentOf('0/document-1.md' as Parameters<typeof documentOf>[0])).toBe('2')
  })

  test.each([
    ['no corpus', { 'queries.jsonl': QUERIES, 'qrels.tsv': 'q1\td1\t1\n' }, /corpus.jsonl cannot be read \(ENOENT\)/],
    [
      'no JSON',
      { 'corpus.jsonl': '{"id": "d1"}\nnot JSON\n', 'queries.jsonl': QUERIES, 'qrels.tsv': '' },
      /corpus.jsonl:2 is no JSON/,
    ],
    ['no id', { 'corpus.jsonl': '{"text": "x"}\n', 'queries.jsonl': QUERIES, 'qrels.tsv': '' }, /corpus.jsonl:1 has no "id"/],
    [
      'no judgement',
      { 'corpus.jsonl': CORPUS, 'queries.jsonl': QUERIES, 'qrels.tsv': 'a\tb\tc\nq1\td1\n' },
      /qrels.tsv:2 is no judgement/,
    ],
    [
      'nothing judged',
      { 'corpus.jsonl': CORPUS, 'queries.jsonl': QUERIES, 'qrels.tsv': 'q1\td1\t0\n' },
      /no query that is judged/,
    ],
  ])('with %s is refused', (name, files, message) => {
    const folder = folderWith(name, files)
    expect(() => readCollection(folder)).toThrow(message)
  })
})

describe('two settings', () => {
  test('are parted at a comma before a key, so that values may hold commas and spaces', () => {
    expect(readSides(undefined)).toEqual([{ label: 'default', assignments: [] }])
    expect(readSides('search.weight=0.3, search.weight=0.5').map(({ assignments }) => assignments)).toEqual([
      ['search.weight=0.3'],
      ['search.weight=0.5'],
    ])
    expect(readSides('default,embedder.kind=transformers embedder.model=/a b, c').map(({ assignments }) => assignments)).toEqual([
      [],
      ['embedder.kind=transformers', 'embedder.model=/a b, c'],
    ])
  })

  test('one alone is refused', () => {
    expect(() => readSides('search.weight=0.3')).toThrow('--compare takes two settings')
  })
})

describe('roux eval', () => {
  test('asks a vault for its notes, by words where there is no embedder', async () => {
    const { roux, clean } = commandLine()
    const files = { 'compost.md': { body: 'Fungi and bacteria.' } }
    const snapshot = { words: async () => ({ hits: [], coverage: 0, terms: [] }) }
    const { code, out, err } = await roux(['eval', '--json'], { files, snapshot })
    clean()
    expect(err).not.toContain('error')
    expect(code).toBe(0)
    const report = JSON.parse(out)
    expect(report).toMatchObject({ seed: 1, sides: [{ settings: 'default', embedder: null }] })
    expect(report.sides[0].scores[0]).toMatchObject({ kind: 'title', mode: 'keyword', queries: 1, hit1: { value: 1 } })
  })

  test('shows tables to people, and two settings side by side', async () => {
    const { roux, clean } = commandLine()
    const files = { 'compost.md': { body: 'Fungi and bacteria.' } }
    const snapshot = { words: async () => ({ hits: [], coverage: 0, terms: [] }) }
    const { out } = await roux(['eval', '--compare', 'default,search.weight=0.5'], { files, snapshot, tty: true })
    clean()
    expect(out).toMatch(/title +keyword +1 +100\.0 \[20\.7, 100\.0\]/)
    expect(out).toContain('MRR with search.weight=0.5 less that with default')
    expect(out).toMatch(/all +keyword +\+0\.0000 \[\+0\.0000, \+0\.0000\]/)
  })

  test('says what cannot be asked', async () => {
    const { roux, clean } = commandLine()
    const both = await roux(['eval', 'notes', '--collection', 'x'])
    const none = await roux(['eval', '--queries', '0'])
    const missing = await roux(['eval', '--collection', 'nowhere'])
    clean()
    expect([both.code, none.code, missing.code]).toEqual([2, 2, 2])
    expect(both.err).toContain('A collection brings its own notes')
    expect(none.err).toContain('--queries must be 1 or more')
    expect(missing.err).toContain('corpus.jsonl cannot be read')
  })
})
