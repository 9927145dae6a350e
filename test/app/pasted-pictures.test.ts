import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findNodes } from '../../src/app/find/find-nodes.ts'
import { search } from '../../src/app/find/search.ts'
import { contextPack } from '../../src/app/insight/context-pack.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import { blankData, cutData } from '../../src/core/text/inline-data.ts'
import { MARKER } from '../../src/core/text/partial-reading.ts'
import { chunkNote } from '../../src/search/chunks.ts'
import { KnownBag, searchCore } from './search-core.ts'
import { fakeWriting } from './write/fake-writing.ts'

const DATA = 'iVBORw0KGgoAAAANSUhEUgRosesAB/+xyz'.repeat(600)
const PICTURE = `data:image/png;base64,${DATA}=`
const BODY = `# Roses\n\nPruned in spring: ![shears](${PICTURE}) with shears.\n\n[p]: <${PICTURE}>\n\nCut above a bud.\n`
const whole = { depth: 0, offset: 0, maxChars: 10_000 }
const searched = await searchCore(
  { 'Roses.md': `---\ntags: [a]\n---\n${BODY}`, 'Other.md': 'Nothing.\n' },
  { embedder: new KnownBag() },
)
const core = { ...searched, writing: fakeWriting() }

test('shows only the type of a pasted picture, and with it a partial hash that blocks overwriting', async () => {
  const { value } = await getNode(core, { id: 'roses', ...whole })
  const short = `data:image/png;base64,${MARKER}`
  expect(value?.content).toBe(BODY.replaceAll(PICTURE, short))
  expect(value?.hash).toMatch(/^partial:/)
  expect(value?.next_offset).toBeUndefined()
})

test('reading a note with pasted pictures in parts reaches the end and loses nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20, max: 200 }), async (maxChars) => {
      let text = ''
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const { value } = await getNode(core, { id: 'roses', ...whole, maxChars, offset })
        const next: number | undefined = value?.next_offset
        if (next !== undefined) expect(next).toBeGreaterThan(offset)
        text += next === undefined ? value?.content : value?.content?.slice(0, -MARKER.length)
        offset = next
      }
      expect(text).toBe(cutData(BODY)?.text)
    }),
  )
})

test('pasted pictures are not searchable and appear in no passage', async () => {
  const packed = await contextPack(core, { query: 'roses pruned in spring above a bud', maxTokens: 1000 })
  const text = packed.value.excerpts.map((excerpt) => excerpt.text).join('\n')
  expect(text).toContain('Cut above a bud.')
  expect(text).not.toContain('iVBOR')
  const found = await search(core, {
    query: 'pruned in spring',
    limit: 5,
    includeContent: false,
    mode: 'hybrid',
    explain: false,
    relevance: 'loose',
  })
  expect(JSON.stringify(found.value)).toContain('Pruned in spring')
  expect(JSON.stringify(found.value)).not.toContain('iVBOR')
  const listed = await findNodes(core, { query: '', limit: 5, orderBy: 'title', includeArchived: true })
  expect(JSON.stringify(listed.value)).not.toContain('iVBOR')
  expect(
    (await findNodes(core, { query: 'KGgoAAAANSUhEUgRosesAB', limit: 5, orderBy: 'title', includeArchived: true })).value,
  ).toEqual([])
  const chunks = chunkNote({ title: 'Roses', text: BODY, bodyStart: 0, headings: [] })
  expect(chunks.map((chunk) => chunk.text).join(' ')).not.toContain('iVBOR')
  expect(chunks).toHaveLength(1)
})

test('finds inline data in linear time, and ignores short or invalid data', () => {
  expect(blankData(`a ${PICTURE} b`)).toBe(`a ${' '.repeat(PICTURE.length)} b`)
  for (const text of ['data:image/png;base64,iVBOR', `;base64,${DATA}`, `metadata ${DATA};base64,`]) {
    expect(blankData(text)).toBe(text)
    expect(cutData(text)).toBeUndefined()
  }
  for (const part of ['data:a/', 'data:a/b;', ';base64,', 'data:a/b;base64,', 'data:a/b;a=']) {
    expect(blankData(`;base64,${part.repeat(50_000)}`)).toHaveLength(8 + part.length * 50_000)
  }
})
