import { unitVector } from './vectors.ts'

/** What an answer must fit. */
export interface Expected {
  readonly count: number
  /** Absent: the first vector decides. */
  readonly dimensions: number | undefined
}

/**
 * Reads the answer to `POST /embeddings`, a JSON text: `{data: [{index, embedding: [number, …]}, …]}`.
 * @returns unit vectors in the order of the request, or what is wrong with the answer, as a clause.
 */
export function readAnswer(body: string, { count, dimensions }: Expected): readonly Float32Array[] | string {
  const data = parseData(body)
  if (typeof data === 'string') return data
  if (data.length !== count) return `it holds ${data.length} vectors for ${count} texts`
  const vectors: Float32Array[] = []
  let length = dimensions
  for (const [position, item] of data.entries()) {
    const { index = position, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown }
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return 'its indexes are damaged'
    if (vectors[index] !== undefined) return 'it holds two vectors for one text'
    const vector = readVector(embedding)
    if (typeof vector === 'string') return vector
    length ??= vector.length
    if (vector.length !== length) return `its vectors have ${vector.length} dimensions instead of ${length}`
    vectors[index] = vector
  }
  return vectors
}

function parseData(body: string): readonly unknown[] | string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return /^\s*</.test(body) ? 'it is a web page and no JSON' : 'it is no JSON'
  }
  const { data } = (value ?? {}) as { readonly data?: unknown }
  return Array.isArray(data) ? data : 'it holds no list of vectors (`data`)'
}

function readVector(embedding: unknown): Float32Array | string {
  if (!Array.isArray(embedding) || embedding.length === 0) return 'it holds something else than vectors (`embedding`)'
  if (!embedding.every((value) => typeof value === 'number' && Number.isFinite(value))) {
    return 'it holds a vector with a component that is no number'
  }
  return unitVector(embedding) ?? 'it holds a vector of zeros'
}
