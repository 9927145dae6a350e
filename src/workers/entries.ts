import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The script of a worker. Entry points of workers lie beside the script that this was bundled into. */
export function entryOf(name: 'indexer' | 'compute' | 'reader' | 'model'): URL {
  const built = new URL(`../workers/${name}.js`, import.meta.url)
  // Run from source the workers must have been built all the same.
  return existsSync(fileURLToPath(built)) ? built : new URL(`../../dist/workers/${name}.js`, import.meta.url)
}

/** The table of the built-in embedder; scripts and sources lie equally deep. */
export function embeddingTable(): string {
  return fileURLToPath(new URL('../../assets/embedder/static-256.bin', import.meta.url))
}
