import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export function entryOf(name: 'indexer' | 'compute' | 'reader' | 'model'): URL {
  const built = new URL(`../workers/${name}.js`, import.meta.url)
  // A worker always runs from `dist`, even if the program runs from source.
  return existsSync(fileURLToPath(built)) ? built : new URL(`../../dist/workers/${name}.js`, import.meta.url)
}

/** Returns the paths of the tables. Bundles and sources are at the same depth. */
export function embeddingTables(): { readonly english: string; readonly multilingual: string } {
  const at = (name: string) => fileURLToPath(new URL(`../../assets/embedder/${name}`, import.meta.url))
  return { english: at('static-256.bin'), multilingual: at('ml-256-int4.bin') }
}
