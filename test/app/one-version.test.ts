import { expect, test } from 'vitest'
import { search } from '../../src/app/find/search.ts'
import { findPath } from '../../src/app/links/find-path.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import type { Snapshot } from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { type SearchCore, searchCore } from './search-core.ts'

/** A core whose note changes this many times, after its texts are read or after this store call. */
function changing(
  core: SearchCore,
  method: 'texts' | 'nodes' | 'occurrences',
  change: (time: number) => void,
  times = 1,
): SearchCore {
  let time = 0
  const changeNow = async (): Promise<void> => {
    if (time >= times) return
    change(time++)
    // The reader of texts compares them with the index itself.
    if (method !== 'texts') await core.indexed.indexer.reconcile({ all: true })
  }
  const texts: Texts = {
    async read(versions) {
      if (method === 'texts') await changeNow()
      return await core.texts.read(versions)
    },
  }
  const changingSnapshot = (snapshot: Snapshot): Snapshot =>
    new Proxy(snapshot, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (key !== method || typeof value !== 'function') return typeof value === 'function' ? value.bind(target) : value
        return async (...args: unknown[]) => {
          const answer: unknown = await value.apply(target, args)
          await changeNow()
          return answer
        }
      },
    })
  const read: SearchCore['store']['read'] = (use, signal) =>
    core.store.read((snapshot) => use(changingSnapshot(snapshot)), signal)
  const store = new Proxy(core.store, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key).bind(target)) })
  return { ...core, store, texts }
}

test('finds the start of the body in the current text, not in the indexed one', async () => {
  const core = await searchCore({ 'a.md': '---\ntags: [one, two, three]\n---\nBody.\n' })
  core.vault.write('a.md', 'Now without frontmatter.\n')
  const indexing = { ...core.indexing, reconcile: async () => {} }
  const { value } = await getNode({ ...core, indexing }, { id: 'a', depth: 0, offset: 0, maxChars: 1_000 })
  expect(value?.content).toBe('Now without frontmatter.\n')
})

const OLD = 'The river leads to [[sea]]. More.\n'
const NEW = `${'A long introduction stands here now. '.repeat(4)}\n\nThe brook leads to [[sea]]. More.\n`

test.each(['texts', 'occurrences'] as const)(
  'a hop shows a sentence of one version when its note changes after %s are read',
  async (method) => {
    const core = await searchCore({ 'a.md': OLD, 'sea.md': 'Water.' })
    const { value } = await findPath(
      changing(core, method, () => core.vault.write('a.md', NEW)),
      { source: 'a', target: 'sea', direction: 'any', count: 1, avoidHubs: false },
    )
    expect(['The river leads to [[sea]].', 'The brook leads to [[sea]].']).toContain(value?.hops[0]?.text)
  },
)

test.each(['texts', 'nodes'] as const)(
  'get_node shows outline, hash and content of one version while the note keeps changing after %s are read',
  async (method) => {
    const core = await searchCore({ 'a.md': '# One\n\nfirst\n' })
    const version = (time: number) => `${'text\n\n'.repeat(time + 1)}# Heading ${time}\n\ntext ${time}\n`
    const { value } = await getNode(
      changing(core, method, (time) => core.vault.write('a.md', version(time)), 2),
      { id: 'a', depth: 0, offset: 0, maxChars: 1_000 },
    )
    expect(value?.content).toContain(`# ${value?.outline[0]?.text}\n`)
  },
)

test('a passage has a heading from its own version of the note', async () => {
  const core = await searchCore({ 'a.md': '# Rivers\n\nwater runs\n' })
  const changed = changing(core, 'texts', () => core.vault.write('a.md', '# Seas\n\nwater stands\n'))
  const { value } = await search(changed, {
    query: 'water',
    limit: 5,
    includeContent: false,
    relevance: 'loose',
    mode: 'keyword',
    explain: false,
  })
  const shown = value.flatMap(({ passages }) => passages.map(({ heading, text }) => [heading[0], /runs|stands/.exec(text)?.[0]]))
  expect([[['Rivers', 'runs']], [['Seas', 'stands']]]).toContainEqual(shown)
})
