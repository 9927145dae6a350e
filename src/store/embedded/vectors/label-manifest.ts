import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { writeDurably } from './durable-file.ts'
import { manifestPath, parseSidecar } from './hnsw-sidecar.ts'

/** The vector behind each label of a saved graph; NaN for none. */
export interface LabelManifest {
  /** The fingerprint of the marks; the graph saved with it has the same. */
  readonly fingerprint: string
  readonly marks: Float64Array
}

/**
 * Writes what the labels of the graph that will be saved at `path` stand for, 8 bytes a label, and returns its fingerprint. To be
 * called before `saveGraph`, which removes the one before. Throws an `Error` when the disk does not take it.
 */
export async function saveLabelManifest(path: string, marks: Float64Array): Promise<string> {
  const bytes = new Uint8Array(marks.buffer, marks.byteOffset, marks.byteLength)
  const fingerprint = fingerprintOf(bytes)
  const temporary = `${path}-${randomUUID()}.tmp`
  try {
    await writeDurably(manifestPath(path, fingerprint), temporary, bytes)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return fingerprint
}

/**
 * The manifest of the graph saved at `path`; `undefined` if there is none of this embedder, or an incomplete one. Never
 * throws.
 */
export async function readLabelManifest(path: string, embedder: string): Promise<LabelManifest | undefined> {
  try {
    const sidecar = parseSidecar(await readFile(path, 'utf8'))
    if (sidecar.embedder !== embedder) return undefined
    const { fingerprint } = sidecar
    const bytes = new Uint8Array(await readFile(manifestPath(path, fingerprint)))
    if (bytes.length % 8 !== 0 || fingerprintOf(bytes) !== fingerprint) return undefined
    return { fingerprint, marks: new Float64Array(bytes.buffer) }
  } catch {
    return undefined
  }
}

function fingerprintOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
