import { createHash } from 'node:crypto'
import type { GraphFile } from './hnsw-graph.ts'

/** The content a saved graph was made from; a graph of other content is not loaded. */
export interface GraphStamp {
  /** The embedder's id. */
  readonly embedder: string
  /** Names the exact content: the same text, the same labels with the same vectors. */
  readonly fingerprint: string
}

/** The description beside a saved graph: a line of JSON and its SHA-256. */
export interface Sidecar extends GraphStamp, Omit<GraphFile, 'path'> {
  /** SHA-256 of the data file, hex. */
  readonly sha256: string
}

const FORMAT = 'roux-hnsw-1'

export function formatSidecar(sidecar: Sidecar): string {
  return sign(JSON.stringify({ format: FORMAT, ...sidecar }))
}

/** Throws an `Error` on anything that `formatSidecar` did not make. */
export function parseSidecar(text: string): Sidecar {
  const [line = ''] = text.split('\n', 1)
  if (text !== sign(line)) throw new Error('the sidecar is damaged')
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
  throw new Error('the sidecar is of another version')
}

/** The path of the graph: each content has its own name, so nobody overwrites what another process reads. */
export function dataPath(path: string, sha256: string): string {
  return `${path}-${sha256.slice(0, 32)}.data`
}

/** Where it says what the labels stand for: see `saveLabelManifest`. */
export function manifestPath(path: string, fingerprint: string): string {
  return `${path}-${sha256Of(fingerprint).slice(0, 32)}.manifest`
}

/** The files beside the sidecar that belong to it. */
export function partsOf(path: string, { sha256, fingerprint }: Sidecar): readonly string[] {
  return [dataPath(path, sha256), manifestPath(path, fingerprint)]
}

function sign(line: string): string {
  return `${line}\n${sha256Of(line)}\n`
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}
