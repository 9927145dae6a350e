import type { Texts } from '../../src/core/texts.ts'
import type { Vault } from '../../src/core/vault.ts'
import { noteTextOf } from '../../src/markdown/prose/excerpt.ts'

/** The texts of a vault's notes, read on demand. */
export function textsOf(vault: () => Pick<Vault, 'read'>): Texts {
  return {
    async read(versions) {
      return versions.map(({ path }) => {
        const bytes = vault().read(path)
        return bytes === undefined || bytes === 'unreadable' ? undefined : noteTextOf(bytes)
      })
    },
  }
}
