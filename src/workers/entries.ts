import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the URL of a worker's script, which lies next to this bundle. */
export function entryOf(name: 'indexer' | 'compute' | 'reader' | 'model'): URL {
  const built = new URL(`../workers/${name}.js`, import.meta.url)
  // Workers always run from `dist`, even if the program runs from source.
  return existsSync(fileURLToPath(built)) ? built : new URL(`../../dist/workers/${name}.js`, import.meta.url)
}

/** Paths of the built-in embedding tables. Built scripts and sources are at the same depth. */
export function embeddingTables(): { readonly english: string; readonly multilingual: string } {
  const at = (name: string) => fileURLToPath(new URL(`../../assets/embedder/${name}`, import.meta.url))
  return { english: at('static-256.bin'), multilingual: at('ml-256-int4.bin') }
}
