import { createHash, hash as digest, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WrittenGraph } from '../../../core/vectors.ts'
import { BUILD_BREADTH, type HnswAddon, HnswGraph, LINKS } from './hnsw-graph.ts'

const HEADER_BYTES = 96

const LEVEL_BYTES = 4 + 4 * LINKS

const LOWEST_LEVEL_BYTES = 4 + 4 * 2 * LINKS

const FORMAT = 'roux-hnsw-1'

export interface RestoreOptions {
  readonly embedder: string
  readonly dimensions: number
  /** The fingerprint of the expected content. It is omitted if no saved graph can match. */
  readonly fingerprint?: string
  /** Returns the labels that changed since a fingerprint, or `undefined` to reject the saved graph. */
  readonly changedSince?: (fingerprint: string) => Iterable<number> | undefined
}

export type RestoredGraph =
  | { readonly graph: HnswGraph; readonly changed: Iterable<number>; readonly reason?: undefined }
  | { readonly graph: undefined; readonly reason: string }

/**
 * Writes a data file named by its hash, and a sidecar at `path`: a line of JSON, and a line with its SHA-256. Temporary files are
 * synced and renamed, so readers find the old or the new graph.
 * @throws Error if the disk fails; the old graph stays intact
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
    await writeDurably(path, temporary, checksumOf(JSON.stringify({ format: FORMAT, ...sidecar })))
    const replaced = old === undefined ? [] : partsOf(path, old)
    // The graph has been saved, so an error of the cleanup is ignored. The next save retries it.
    await removeLeftovers(path, partsOf(path, sidecar), replaced).catch(() => undefined)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Reads a saved graph and deletes damaged files. Intact files with other content stay, because they may belong to another
 * process.
 * @returns the graph, or the reason why there is none; never throws
 */
export async function restoreGraph(addon: HnswAddon, path: string, options: RestoreOptions): Promise<RestoredGraph> {
  let text = ''
  let data: string | undefined
  try {
    text = await readFile(path, 'utf8')
    const sidecar = parseSidecar(text)
    const changed = changesSince(sidecar, options)
    data = dataPath(path, sidecar.sha256)
    const file: WrittenGraph = { ...sidecar, path: data }
    await verifyGraphLayout(file)
    if ((await hashFile(file.path)) !== sidecar.sha256) throw new Error('the file has a wrong hash')
    const graph = await HnswGraph.read(addon, file)
    return { graph, changed }
  } catch (error) {
    // If the deletion fails, the file is rejected again next time.
    if (!(error instanceof OtherContent)) await discard(path, text, data).catch(() => undefined)
    return { graph: undefined, reason: `no saved graph: ${explain(error)}` }
  }
}

/** Deletes a damaged graph, unless another process has replaced its files. */
async function discard(path: string, text: string, data: string | undefined): Promise<void> {
  if (text !== (await readFile(path, 'utf8'))) return
  for (const name of data === undefined ? [path] : [path, data]) await rm(name, { force: true })
}

class OtherContent extends Error {}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? `the file cannot be read (${error.code})` : error.message
}

function changesSince(sidecar: Sidecar, options: RestoreOptions): Iterable<number> {
  if (sidecar.embedder !== options.embedder || sidecar.dimensions !== options.dimensions)
    throw new OtherContent('it was built for another embedding model')
  if (sidecar.fingerprint === options.fingerprint) return []
  const changed = options.changedSince?.(sidecar.fingerprint)
  if (changed === undefined) throw new OtherContent('it was built from other content')
  return changed
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Deletes leftover files, except recent ones, which may belong to another process. */
async function removeLeftovers(path: string, keptPaths: readonly string[], replaced: readonly string[]): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const file = join(dirname(path), name)
    if (!name.startsWith(`${basename(path)}-`) || !/\.(data|manifest|tmp)$/.test(name) || keptPaths.includes(file)) continue
    const isOld = replaced.includes(file) || Date.now() - (await stat(file)).mtimeMs > LEFTOVER_AGE
    if (isOld) await rm(file, { force: true })
  }
}

const LEFTOVER_AGE = 3_600_000

/**
 * Checks the layout of a graph file, because hnswlib trusts its sizes, and a file truncated during writing has a matching hash.
 * hnswlib 0.8 writes 13 header fields, a record per label (links of level 0, vector, label), and then the links of higher levels.
 * @throws Error for another layout
 */
export async function verifyGraphLayout(file: WrittenGraph): Promise<void> {
  const handle = await open(file.path, 'r')
  try {
    const { size } = await handle.stat()
    const tailAt = HEADER_BYTES + file.count * recordBytes(file.dimensions)
    if (size < tailAt + 4 * file.count) throw new Error('the file is too short')
    const entry = verifyHeader(await readBytes(handle, 0, HEADER_BYTES), file)
    verifyTail(await readBytes(handle, tailAt, size - tailAt), file.count, entry)
  } finally {
    await handle.close()
  }
}

function recordBytes(dimensions: number): number {
  return LOWEST_LEVEL_BYTES + 4 * dimensions + 8
}

/** The record where searches start, which has links on all higher levels. */
interface EntryPoint {
  readonly number: number
  readonly levels: number
}

function verifyHeader(header: DataView, { dimensions, count, capacity }: WrittenGraph): EntryPoint {
  const integer = (at: number) => Number(header.getBigUint64(at, true))
  const label = LOWEST_LEVEL_BYTES + 4 * dimensions
  const sizes = [0, capacity, count, recordBytes(dimensions), label, LOWEST_LEVEL_BYTES]
  const links = [LINKS, 2 * LINKS, LINKS]
  const levels = header.getInt32(48, true)
  const number = header.getUint32(52, true)
  const fits =
    sizes.every((value, i) => integer(8 * i) === value) &&
    links.every((value, i) => integer(56 + 8 * i) === value) &&
    Math.abs(header.getFloat64(80, true) * Math.log(LINKS) - 1) < 1e-14 &&
    integer(88) === BUILD_BREADTH &&
    levels >= 0 &&
    number < count
  if (!fits) throw new Error('the header does not match this graph')
  return { number, levels }
}

function verifyTail(tail: DataView, count: number, entry: EntryPoint): void {
  let at = 0
  for (let i = 0; i < count && at + 4 <= tail.byteLength; i++) {
    const bytes = tail.getUint32(at, true)
    const highest = entry.levels * LEVEL_BYTES
    if (bytes % LEVEL_BYTES !== 0 || bytes > highest || (i === entry.number && bytes !== highest)) {
      throw new Error('the links have impossible sizes')
    }
    at += 4 + bytes
  }
  if (at !== tail.byteLength) throw new Error('the file and its links differ in size')
}

async function readBytes(handle: FileHandle, at: number, length: number): Promise<DataView> {
  const bytes = new Uint8Array(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) throw new Error('the file is too short')
    read += bytesRead
  }
  return new DataView(bytes.buffer)
}

/** The identity of a graph. A graph with another stamp is not loaded. */
export interface GraphStamp {
  readonly embedder: string
  /** A hash that identifies the labels and their vectors. */
  readonly fingerprint: string
}

/** The description of a saved graph, stored as a line of JSON, followed by its SHA-256. */
export interface Sidecar extends GraphStamp, Omit<WrittenGraph, 'path'> {
  /** The SHA-256 of the data file, in hex. */
  readonly sha256: string
}

/** @throws Error if the sidecar is malformed */
function parseSidecar(text: string): Sidecar {
  const [line = ''] = text.split('\n', 1)
  if (text !== checksumOf(line)) throw new Error('the sidecar is damaged')
  const parsed = JSON.parse(line) as Partial<Sidecar> & { readonly format?: unknown }
  const { embedder, fingerprint, dimensions, count, capacity, deleted, sha256 } = parsed
  const whole =
    parsed.format === FORMAT &&
    typeof embedder === 'string' &&
    typeof fingerprint === 'string' &&
    isCount(dimensions) &&
    isCount(count) &&
    isCount(capacity) &&
    Array.isArray(deleted) &&
    deleted.every(isCount) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256)
  if (whole) return { embedder, fingerprint, dimensions, count, capacity, deleted, sha256 }
  throw new Error('the sidecar has another version')
}

/** The name depends on the content, so no file is overwritten during a read. */
function dataPath(path: string, sha256: string): string {
  return `${path}-${sha256.slice(0, 32)}.data`
}

function manifestPath(path: string, fingerprint: string): string {
  return `${path}-${digest('sha256', fingerprint).slice(0, 32)}.manifest`
}

function partsOf(path: string, { sha256, fingerprint }: Sidecar): readonly string[] {
  return [dataPath(path, sha256), manifestPath(path, fingerprint)]
}

function checksumOf(line: string): string {
  return `${line}\n${digest('sha256', line)}\n`
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

/** Writes a file so readers find either the old content or the new one. */
async function writeDurably(path: string, temporary: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, path)
  await sync(dirname(path)).catch(() => undefined) // Windows cannot sync folders.
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export interface LabelManifest {
  /** The fingerprint of `marks` and of their graph. */
  readonly fingerprint: string
  readonly marks: Float64Array
}

/**
 * Saves 8 bytes per label. It must be called before `saveGraph`, which deletes the previous manifest.
 * @returns the fingerprint
 * @throws Error if the disk fails
 */
export async function saveLabelManifest(path: string, marks: Float64Array): Promise<string> {
  const bytes = new Uint8Array(marks.buffer, marks.byteOffset, marks.byteLength)
  const fingerprint = digest('sha256', bytes)
  const temporary = `${path}-${randomUUID()}.tmp`
  try {
    await writeDurably(manifestPath(path, fingerprint), temporary, bytes)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return fingerprint
}

/** @returns `undefined` if the manifest is missing, incomplete or for another embedder; never throws */
export async function readLabelManifest(path: string, embedder: string): Promise<LabelManifest | undefined> {
  try {
    const sidecar = parseSidecar(await readFile(path, 'utf8'))
    if (sidecar.embedder !== embedder) return undefined
    const { fingerprint } = sidecar
    const bytes = new Uint8Array(await readFile(manifestPath(path, fingerprint)))
    if (bytes.length % 8 !== 0 || digest('sha256', bytes) !== fingerprint) return undefined
    return { fingerprint, marks: new Float64Array(bytes.buffer) }
  } catch {
    return undefined
  }
}
