import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryObjects } from 'node:v8'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { search } from '../../src/app/find/search.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import { openCore, shareParts } from '../../src/compose/index.ts'
import { toSettings } from '../../src/config/settings.ts'
import { Graph } from '../../src/graph/graph.ts'
import { IndexingClient } from '../../src/workers/indexing-client.ts'
import { temporaryFolder } from '../support/temporary.ts'

afterEach(() => vi.unstubAllEnvs())

test('an embedder that vaults share is closed with the last of them', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const shared = shareParts()
  onTestFinished(() => shared.close())
  const settings = toSettings(new Map([['vault.path', folder]]))
  const [first, second] = await Promise.all(['a', 'b'].map((name) => openCore(settings, { watch: false, name, shared })))
  const embed = async () => (await first?.embedding?.open())?.embed(['bread'], 'passage')
  expect(await embed()).toHaveLength(1)
  await first?.close()
  await first?.close()
  expect(await embed()).toHaveLength(1)
  await second?.close()
  await expect(embed()).rejects.toThrow('is closed')
})

test('a server that opens and closes vaults keeps only the open one in memory', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const shared = shareParts()
  onTestFinished(() => shared.close())
  const open = async (name: string) => {
    const root = join(folder, name)
    mkdirSync(root, { recursive: true })
    writeFileSync(join(root, 'bread.md'), '# Bread\n\nFlour and [[water]].\n')
    const core = await openCore(toSettings(new Map([['vault.path', root]])), { watch: true, name, shared })
    await getNode(core, { id: 'bread.md', depth: 0, offset: 0, maxChars: 1_000 })
    await search(core, { query: 'flour', limit: 5, mode: 'keyword', includeContent: false, relevance: 'normal', explain: false })
    return core
  }
  const kept = [Graph, IndexingClient]
  const count = () => kept.map((type) => queryObjects(type, { format: 'count' }))
  const before = count()
  const stays = await open('stays')
  const [graphs = 0, clients = 0] = count().map((now, at) => now - (before[at] ?? 0))
  for (const name of ['comes', 'goes', 'comes', 'goes']) await (await open(name)).close()
  await expect.poll(count).toEqual([(before[0] ?? 0) + graphs, (before[1] ?? 0) + clients])
  await stays.close()
})
