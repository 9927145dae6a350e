import type { ListedFile } from '../../src/core/vault.ts'
import { testStore } from '../contract/store.ts'
import { IndexedVault, MemoryVault } from '../support/memory-vault.ts'

/** A vault whose own filters hide a folder. */
class FilteredVault extends MemoryVault {
  readonly #hidden: string

  constructor(files: Readonly<Record<string, string>>, hidden: string) {
    super(files)
    this.#hidden = hidden
  }

  override list(folder?: { readonly path: string; readonly recursive: boolean }) {
    const listing = super.list(folder)
    return { ...listing, files: listing.files.map((file) => this.#filtered(file)) }
  }

  override stat(path: string): ListedFile | undefined {
    const file = super.stat(path)
    return file === undefined ? undefined : this.#filtered(file)
  }

  #filtered(file: ListedFile): ListedFile {
    return { ...file, excluded: file.path.startsWith(this.#hidden) }
  }
}

testStore('embedded', async (files, { vault: name, excluded } = {}) => {
  const vault = excluded === undefined ? new MemoryVault(files) : new FilteredVault(files, excluded)
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
    async indexSearch(next) {
      await indexed.indexSearch(next)
    },
    close: () => indexed.store.close(),
  }
})
