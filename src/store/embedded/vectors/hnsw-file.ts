import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sync, writeDurably } from './durable-file.ts'
import type { HnswAddon } from './hnsw-addon.ts'
import { verifyGraphLayout } from './hnsw-file-layout.ts'
import { type GraphFile, HnswGraph } from './hnsw-graph.ts'
import { dataPath, formatSidecar, type GraphStamp, parseSidecar, partsOf, type Sidecar } from './hnsw-sidecar.ts'

export interface RestoreOptions {
  /** The embedder's id. */
  readonly embedder: string
  readonly dimensions: number
  /** The fingerprint of the wanted content, if it may be the graph's. */
  readonly fingerprint?: string
  /** Labels set or deleted since the content of that fingerprint; `undefined` when that is not known, and the graph is of no use. */
  readonly changedSince?: (fingerprint: string) => Iterable<number> | undefined
}

export type RestoredGraph =
  | { readonly graph: HnswGraph; readonly changed: Iterable<number>; readonly reason?: undefined }
  | { readonly graph: undefined; readonly reason: string }

/**
 * Writes the graph as of the call in two files: the data, named by its own hash and immutable, and the sidecar at
 * `path`: a line of JSON with that hash and the stamp, and a line with its SHA-256. Each is written to a temporary
 * name, synced and renamed, so a reader finds the old pair or the new one. Throws an `Error` when the disk fails; the
 * old pair is then intact.
 */
export async function saveGraph(graph: HnswGraph, path: string, stamp: GraphStamp): Promise<void> {
  const temporary = `${path}-${randomUUID()}.tmp`
  try {
    const { path: _, ...file } = await graph.write(temporary)
    await sync(temporary)
    await verifyGraphLayout({ ...file, path: temporary })
    const sha256 = await hashFile(temporary)
    const old = await readFile(path, 'utf8')
      .then(parseSidecar)
      .catch(() => undefined)
    const sidecar = { ...stamp, ...file, sha256 }
    await rename(temporary, dataPath(path, sha256))
    await writeDurably(path, temporary, formatSidecar(sidecar))
    const replaced = old === undefined ? [] : partsOf(path, old)
    // The graph is saved: what cannot be removed now is removed by a later save.
    await removeLeftovers(path, partsOf(path, sidecar), replaced).catch(() => undefined)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Loads what `saveGraph` wrote if it is whole and of this content; else says why not, and throws away what is damaged: what is whole
 * may be another process's. Never throws.
 */
export async function restoreGraph(addon: HnswAddon, path: string, options: RestoreOptions): Promise<RestoredGraph> {
  let text = ''
  let data: string | undefined
  try {
    text = await readFile(path, 'utf8')
    const sidecar = parseSidecar(text)
    const changed = changesSince(sidecar, options)
    data = dataPath(path, sidecar.sha256)
    const file: GraphFile = { ...sidecar, path: data }
    await verifyGraphLayout(file)
    if ((await hashFile(file.path)) !== sidecar.sha256) throw new Error('the file does not have its hash')
    const graph = await HnswGraph.read(addon, file)
    return { graph, changed }
  } catch (error) {
    // A file that cannot be removed is rejected again next time.
    if (!(error instanceof OtherContent)) await discard(path, text, data).catch(() => undefined)
    return { graph: undefined, reason: `no saved graph: ${explain(error)}` }
  }
}

/** Removes a damaged pair, unless another process has put a new one in its place meanwhile. */
async function discard(path: string, text: string, data: string | undefined): Promise<void> {
  if (text !== (await readFile(path, 'utf8'))) return
  for (const name of data === undefined ? [path] : [path, data]) await rm(name, { force: true })
}

class OtherContent extends Error {}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? `the file cannot be read (${error.code})` : error.message
}

function changesSince(sidecar: Sidecar, wanted: RestoreOptions): Iterable<number> {
  if (sidecar.embedder !== wanted.embedder || sidecar.dimensions !== wanted.dimensions)
    throw new OtherContent('it is of another embedding model')
  if (sidecar.fingerprint === wanted.fingerprint) return []
  const changed = wanted.changedSince?.(sidecar.fingerprint)
  if (changed === undefined) throw new OtherContent('it is of other content')
  return changed
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Removes what was replaced, and what saves that were broken off left behind; other young files may be another process's. */
async function removeLeftovers(path: string, kept: readonly string[], replaced: readonly string[]): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const file = join(dirname(path), name)
    if (!name.startsWith(`${basename(path)}-`) || !/\.(data|manifest|tmp)$/.test(name) || kept.includes(file)) continue
    const isOld = replaced.includes(file) || Date.now() - (await stat(file)).mtimeMs > LEFTOVER_AGE
    if (isOld) await rm(file, { force: true })
  }
}

const LEFTOVER_AGE = 3_600_000
