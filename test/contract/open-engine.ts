import type { Store } from '../../src/core/store.ts'
import type { ListedFile } from '../../src/core/vault.ts'
import { type Engine, FedVault, MemoryVault } from '../support/memory-vault.ts'
import type { OpenStore } from './store.ts'

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

/** Opens any engine for the contract suite and fills it through its port. */
export function openThrough(engineOf: (vault?: string) => Engine<Store>): OpenStore {
  return async (files, { vault: name, excluded, outside = {} } = {}) => {
    const vault = excluded === undefined ? new MemoryVault(files) : new FilteredVault(files, excluded)
    for (const [path, target] of Object.entries(outside)) vault.linkOut(path, target)
    const engine = engineOf(name)
    const fed = await new FedVault(vault, engine).index()
    return {
      store: fed.store,
      async change(changed) {
        for (const [path, text] of Object.entries(changed)) {
          if (text === undefined) vault.remove(path)
          else vault.write(path, text)
        }
        await fed.indexer.reconcile({ all: true })
      },
      async indexSearch(embedder) {
        await fed.indexSearch(embedder)
      },
      async close() {
        await fed.store.close()
        await engine.index.close()
        await engine.search.close()
      },
    }
  }
}
