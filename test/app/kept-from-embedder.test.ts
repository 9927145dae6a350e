import { expect, test } from 'vitest'
import { knownItems } from '../../src/app/eval/known-items.ts'
import { search } from '../../src/app/find/search.ts'
import { contextPack } from '../../src/app/insight/context-pack.ts'
import { toSettings } from '../../src/config/settings.ts'
import { mayEmbed } from '../../src/workers/may-leave.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { searchCore } from './search-core.ts'

/** Records every text it embeds. Its model is unknown, so the vault has to calibrate its cosines. */
class Listening extends BagOfWords {
  readonly heard: string[] = []

  constructor() {
    super('listening', 64)
  }

  override async embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal) {
    this.heard.push(...texts)
    return await super.embed(texts, kind, signal)
  }
}

const PRIVATE = (path: string): boolean => !path.startsWith('private/')
const ARGS = { mode: 'hybrid', limit: 5, offset: 0, relevance: 'loose', includeContent: false, explain: false } as const
const NOTES = {
  'garden.md': 'Compost feeds the soil. See [[Hunter2]] for the compost.',
  'private/Hunter2.md': '---\naliases: [swordfish]\n---\nThe compost password is xyzzy. It opens the [[garden]] shed of compost.',
  'soil.md': 'Soil is made of compost and sand.',
}

test('never embeds text or names of a note that must not be embedded', async () => {
  const embedder = new Listening()
  const core = await searchCore(NOTES, { embedder, mayEmbed: PRIVATE })
  await search(core, { ...ARGS, query: 'compost' })
  await contextPack(core, { query: 'compost shed', maxTokens: 2_000 })
  await contextPack(core, { ids: ['private/hunter2.md'], maxTokens: 2_000 })
  expect(embedder.heard.join('\n')).toContain('Soil is made')
  expect(embedder.heard.filter((text) => /xyzzy|swordfish|opens the|^hunter2$/i.test(text))).toEqual([])
})

test('generates no known-item query from a note that must not be embedded', async () => {
  const core = await searchCore(NOTES, { embedder: new Listening(), mayEmbed: PRIVATE })
  const items = await knownItems(core, { count: 10, seed: 1 })
  expect(items.map(({ query }) => query)).toContain('soil')
  expect(items.filter(({ query }) => /xyzzy|swordfish|opens|^hunter/i.test(query))).toEqual([])
})

test('finds a note that must not be embedded by its words', async () => {
  const core = await searchCore(NOTES, { embedder: new Listening(), mayEmbed: PRIVATE })
  const { value } = await search(core, { ...ARGS, query: 'xyzzy' })
  expect(value.map(({ id }) => id)).toEqual(['private/hunter2.md'])
})

test('ai.deny keeps notes from an embedder on a server, but not from the built-in one', () => {
  const ai = { ...toSettings().ai, deny: ['private'] }
  expect(mayEmbed({ kind: 'static' }, () => ai)).toBeUndefined()
  let now = ai
  const may = mayEmbed({ kind: 'openai' }, () => now)
  expect(['private/a.md', 'Private/b/c.md', 'a.md'].map((path) => may?.(path))).toEqual([false, false, true])
  now = { ...ai, deny: ['a.md'] }
  expect(['private/a.md', 'a.md'].map((path) => may?.(path))).toEqual([true, false])
})
