import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { HnswAddon } from './hnsw-addon.ts'
import { verifyGraphLayout } from './hnsw-file-layout.ts'
import { type GraphFile, HnswGraph } from './hnsw-graph.ts'

/** What a saved graph was made from; a graph of anything else is not loaded. */
export interface GraphStamp {
  /** The embedder's id. */
  readonly embedder: string
  /** Names the exact content: the same text, the same labels with the same vectors. */
  readonly fingerprint: string
}

export interface RestoreOptions extends GraphStamp {
  readonly dimensions: number
  /** Labels set or deleted since the content of that fingerprint; `undefined` when that is not known, and the graph is of no use. */
  readonly changedSince?: (fingerprint: string) => Iterable<number> | undefined
}

export type RestoredGraph =
  | { readonly graph: HnswGraph; readonly changed: Iterable<number>; readonly reason?: undefined }
  | { readonly graph: undefined; readonly reason: string }

/**
 * Writes the graph, as it is at the call, as two files: the data, named by its own hash and never changed, and the sidecar at
 * `path`: a line of JSON with that hash and the stamp, and a line with the SHA-256 of the first. Each is written under a temporary
 * name, synced and renamed, so a reader finds the old pair or the new one.
 * Throws an `Error` when the disk does not take it; the old pair is then still there.
 */
export async function saveGraph(graph: HnswGraph, path: string, stamp: GraphStamp): Promise<void> {
  const temporary = `${path}-${randomUUID()}.tmp`
  try {
    const { path: _, ...file } = await graph.write(temporary)
    await sync(temporary)
    await verifyGraphLayout({ ...file, path: temporary })
    const sha256 = await hashFile(temporary)
    const old = await readSidecar(path).catch(() => undefined)
    const sidecar: Sidecar = { ...stamp, ...file, format: FORMAT, sha256 }
    await rename(temporary, dataPath(path, sha256))
    await writeDurably(path, temporary, signSidecar(JSON.stringify(sidecar)))
    await sync(dirname(path)).catch(() => undefined) // Windows cannot sync a folder.
    if (old !== undefined && old.sha256 !== sha256) await rm(dataPath(path, old.sha256), { force: true })
    await removeLeftovers(path, sha256).catch(() => undefined) // The graph is saved; the next save tries again.
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Loads what `saveGraph` wrote if it is whole and of this content; else throws it away and says why. Never throws. */
export async function restoreGraph(addon: HnswAddon, path: string, options: RestoreOptions): Promise<RestoredGraph> {
  let data: string | undefined
  try {
    const sidecar = await readSidecar(path)
    data = dataPath(path, sidecar.sha256)
    const changed = changesSince(sidecar, options)
    const file: GraphFile = { ...sidecar, path: data }
    await verifyGraphLayout(file)
    if ((await hashFile(file.path)) !== sidecar.sha256) throw new Error('the file does not have its hash')
    const graph = await HnswGraph.read(addon, file)
    return { graph, changed }
  } catch (error) {
    // What cannot be removed is refused again next time.
    for (const name of data === undefined ? [path] : [path, data]) await rm(name, { force: true }).catch(() => undefined)
    return { graph: undefined, reason: `no saved graph: ${explain(error)}` }
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? `the file cannot be read (${error.code})` : error.message
}

const FORMAT = 'roux-hnsw-1'

interface Sidecar extends GraphStamp, Omit<GraphFile, 'path'> {
  readonly format: typeof FORMAT
  /** Of the data file, hexadecimal. */
  readonly sha256: string
}

async function readSidecar(path: string): Promise<Sidecar> {
  const text = await readFile(path, 'utf8')
  const [line = ''] = text.split('\n', 1)
  if (text !== signSidecar(line)) throw new Error('the sidecar is damaged')
  const { format, embedder, fingerprint, dimensions, count, capacity, deleted, sha256 } = JSON.parse(line) as Partial<Sidecar>
  const whole =
    format === FORMAT &&
    typeof embedder === 'string' &&
    typeof fingerprint === 'string' &&
    isCount(dimensions) &&
    isCount(count) &&
    isCount(capacity) &&
    Array.isArray(deleted) &&
    deleted.every(isCount) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
  if (whole) return { format, embedder, fingerprint, dimensions, count, capacity, deleted, sha256 }
  throw new Error('the sidecar is of another version')
}

function signSidecar(line: string): string {
  return `${line}\n${createHash('sha256').update(line).digest('hex')}\n`
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

function changesSince(sidecar: Sidecar, wanted: RestoreOptions): Iterable<number> {
  if (sidecar.embedder !== wanted.embedder || sidecar.dimensions !== wanted.dimensions)
    throw new Error('it is of another embedding model')
  if (sidecar.fingerprint === wanted.fingerprint) return []
  const changed = wanted.changedSince?.(sidecar.fingerprint)
  if (changed === undefined) throw new Error('it is of other content')
  return changed
}

function dataPath(path: string, sha256: string): string {
  return `${path}-${sha256.slice(0, 32)}.data`
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

async function writeDurably(path: string, temporary: string, text: string): Promise<void> {
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes what saves that were broken off left behind; young files may be another process's. */
async function removeLeftovers(path: string, sha256: string): Promise<void> {
  const kept = basename(dataPath(path, sha256))
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}-`) || !/\.(data|tmp)$/.test(name) || name === kept) continue
    const leftover = join(dirname(path), name)
    if (Date.now() - (await stat(leftover)).mtimeMs > LEFTOVER_AGE) await rm(leftover, { force: true })
  }
}

const LEFTOVER_AGE = 3_600_000
