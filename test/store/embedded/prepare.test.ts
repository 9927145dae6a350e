import { describe, expect, test } from 'vitest'
import { ask } from '../../support/ask.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

const FILES = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`${at}.md`, `---\naliases: [Alias of ${at}]\n---\n`]))

async function opened() {
  const vault = new MemoryVault(FILES)
  const indexed = await new IndexedVault(vault).index()
  const named = async (name: string) => (await ask(indexed.store).named(name, {})).map(({ id }) => id)
  return { vault, named, indexed, store: indexed.store }
}

describe('preparing names', () => {
  test('works in steps, however short', async () => {
    const { store, named } = await opened()
    let slices = 1
    while (!store.prepare('names', 0)) slices++
    expect(slices).toBeGreaterThan(2)
    expect(store.prepare('names', 0)).toBe(true)
    expect(await named('alias of 149')).toEqual(['149.md'])
    slices = 1
    while (!store.prepare('similar names', 0)) slices++
    expect(slices).toBeGreaterThan(2)
    expect(await named('alias of 149')).toEqual(['149.md'])
    await store.close()
  })

  test('matches the files at the time of the question, after any changes', async () => {
    const { store, named, vault, indexed } = await opened()
    expect(store.prepare('names', 0)).toBe(false)
    // A name that is prepared, one that is not, a deleted one, and a new one.
    vault.write('0.md', '---\naliases: [Early]\n---\n')
    vault.write('149.md', '---\naliases: [Late]\n---\n')
    vault.remove('1.md')
    vault.write('new.md', '')
    await indexed.indexer.reconcile({ all: true })
    store.refresh()
    const wanted = { early: ['0.md'], late: ['149.md'], new: ['new.md'], 'alias of 0': [], 'alias of 1': [], 'alias of 149': [] }
    for (const [name, ids] of Object.entries(wanted)) expect([name, await named(name)]).toEqual([name, ids])
    expect(await named('Alias of 75')).toEqual(['75.md'])
    await store.close()
  })
})
