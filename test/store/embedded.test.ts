import { testStore } from '../contract/store.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

testStore('embedded', async (files, { vault: name } = {}) => {
  const vault = new MemoryVault(files)
  const indexed = await new IndexedVault(vault, {}, name).index()
  return {
    store: indexed.store,
    async change(changed) {
      for (const [path, text] of Object.entries(changed)) {
        if (text === undefined) vault.remove(path)
        else vault.write(path, text)
      }
      await indexed.indexer.reconcile({ all: true })
    },
    close: () => indexed.store.close(),
  }
})
