import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Location } from '../location.ts'

/** Where the graph of an embedder's vectors is saved: beside the search index; `undefined` where that is in memory. */
export function graphPath(location: Location, embedder: string): string | undefined {
  return location.kind === 'memory' ? undefined : graphPrefix(location.path) + digest(embedder)
}

/** Deletes saved graphs of embedders without vectors in the search index. Files that cannot be deleted stay. */
export async function sweepGraphs(location: Location, embedders: readonly string[]): Promise<void> {
  if (location.kind === 'memory') return
  const folder = dirname(location.path)
  const prefix = basename(graphPrefix(location.path))
  const kept = embedders.map((embedder) => prefix + digest(embedder))
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || kept.some((path) => name === path || name.startsWith(`${path}-`))) continue
    await rm(join(folder, name), { force: true }).catch(() => undefined)
  }
}

function graphPrefix(path: string): string {
  return `${path}.hnsw-`
}

function digest(embedder: string): string {
  return createHash('sha256').update(embedder).digest('hex').slice(0, 16)
}
