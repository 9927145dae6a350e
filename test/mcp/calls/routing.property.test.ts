import fc from 'fast-check'
import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { foldId } from '../../../src/core/ids.ts'
import { prepareCall } from '../../../src/mcp/calls/prepare-call.ts'
import type { Tool } from '../../../src/mcp/definition/define-tool.ts'
import { readResource } from '../../../src/mcp/resources/read-resource.ts'
import { resourceUri } from '../../../src/mcp/resources/resource-uri.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'
import type { Wire } from '../../support/stdio-client.ts'

const NAMES = ['a', 'b', 'work-2']

/** File names that look like ids, differ only in case or normal form, or are not ASCII. */
const anyName = fc
  .array(fc.constantFrom('a', 'A', 'b', ':', 'a:', 'b:', 'work-2:', '%3A', 'é', 'e\u0301', 'İ', 'K', ' ', '👍', '.md'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('').trim())
  .filter((name) => name !== '' && !name.startsWith('.'))
const anyPath = fc.array(anyName, { minLength: 1, maxLength: 2 }).map((parts) => `${parts.join('/')}.md`)
/** Each note's text is its path, with a link to a target that may not exist. */
const anyVault = fc
  .uniqueArray(anyPath, { maxLength: 8 })
  .map((paths) => Object.fromEntries(paths.map((path) => [path, `${path}\n`])))

test('an id from an answer finds the same note in every call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyVault, { minLength: 3, maxLength: 3 }), async (contents) => {
      const cores = await Promise.all(
        NAMES.map(async (name, at) => {
          const { store, texts } = await new IndexedVault(new MemoryVault(contents[at] ?? {}), {}, name).index()
          return { ...fakeCore(store), texts, name }
        }),
      )
      const vaults = vaultsOnDemand(NAMES, async (name) => cores.find((core) => core.name === name) ?? fail())
      const ask = async (name: string, args: object): Promise<Wire> => {
        const { value } = await prepareCall(toolCalled(name), args, { vaults })({})
        return value
      }
      for (const [at, vault] of NAMES.entries()) {
        const { nodes } = await ask('list_nodes', { vault, limit: 100 })
        expect(nodes).toHaveLength(Object.keys(contents[at] ?? {}).length)
        const read = new Set<string>()
        for (const { id } of nodes) {
          const node = await ask('get_node', { id })
          expect([node?.id, `${vault}:${foldId(node?.content ?? '')}`]).toEqual([id, `${foldId(id)}\n`])
          read.add(node.content)
          expect(await ask('get_node', { id: `${vault.toUpperCase()}${id.slice(vault.length)}` })).toEqual(node)
          expect(await ask('nodes_exist', { ids: [id] })).toEqual({ [id]: true })
          expect((await ask('find_path', { source: id, target: id }))?.path).toEqual([id])
          const resource = await readResource(resourceUri('node', id), {
            vaults: cores,
            server: { version: '1', settings: {} },
            switchedOffBy: () => undefined,
            call: {},
          })
          expect(resource.text).toBe(node.content)
        }
        expect(read.size).toBe(nodes.length)
      }
      for (const { store } of cores) await store.close()
    }),
    { numRuns: 30 },
  )
})

function toolCalled(name: string): Tool {
  return TOOLS.find((tool) => tool.name === name) ?? fail()
}

function fail(): never {
  throw new Error('There is none of this name.')
}
