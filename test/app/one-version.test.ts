import { expect, test } from 'vitest'
import { findPath } from '../../src/app/find-path.ts'
import { getNode } from '../../src/app/get-node.ts'
import { search } from '../../src/app/search.ts'
import type { Store } from '../../src/core/store.ts'
import { type SearchCore, searchCore } from './search-core.ts'

/** The core, but a note changes and is indexed whenever the store has been asked for this, so many times. */
function changing(
  core: SearchCore,
  method: 'text' | 'nodes' | 'occurrences',
  change: (time: number) => void,
  times = 1,
): SearchCore {
  let time = 0
  const store = new Proxy(core.store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        const answer: unknown = await value.apply(target, args)
        if (key === method && time < times) {
          change(time++)
          await core.indexed.indexer.reconcile({ all: true })
        }
        return answer
      }
    },
  }) as Store
  return { ...core, store }
}

const OLD = 'The river leads to [[sea]]. More.\n'
const NEW = `${'A long introduction stands here now. '.repeat(4)}\n\nThe brook leads to [[sea]]. More.\n`

test.each(['text', 'occurrences'] as const)(
  'a hop shows a sentence of one version of its note, also where it changes after its %s is read',
  async (method) => {
    const core = await searchCore({ 'a.md': OLD, 'sea.md': 'Water.' })
    const { value } = await findPath(
      changing(core, method, () => core.vault.write('a.md', NEW)),
      { source: 'a', target: 'sea', direction: 'any', count: 1, avoidHubs: false },
    )
    expect(['The river leads to [[sea]].', 'The brook leads to [[sea]].']).toContain(value?.hops[0]?.text)
  },
)

test.each(['text', 'nodes'] as const)(
  'get_node shows outline, hash and content of one version, also where the note changes again and again after its %s is read',
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

test('a passage of search stands below a heading of the version that it is of', async () => {
  const core = await searchCore({ 'a.md': '# Rivers\n\nwater runs\n' })
  const changed = changing(core, 'text', () => core.vault.write('a.md', '# Seas\n\nwater stands\n'))
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
