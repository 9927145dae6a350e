import { type CoarseVector, coarsen, packVector } from '../../../../src/store/embedded/vectors/packed-vector.ts'

/** The vector as an index keeps it. */
export function coarse(vector: Float32Array): CoarseVector {
  return coarsen(packVector(vector), vector.length)
}

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random unit vector, or one near `center`. */
export function drawUnitVector(random: () => number, dimensions: number, center?: Float32Array): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, i) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return 1.4 * (center?.[i] ?? 0) + normal / Math.sqrt(dimensions)
  })
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Vectors around one or two hundred centers, as notes cluster around topics. */
export function drawClusters(random: () => number, dimensions: number, count: number): readonly Float32Array[] {
  const centers = Array.from({ length: 150 }, () => drawUnitVector(random, dimensions))
  return Array.from({ length: count }, () => drawUnitVector(random, dimensions, centers[Math.floor(random() * centers.length)]))
}

/** The cosine in double precision. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b))
}

/** The correct results of a vector index. */
export function bruteForce(vectors: ReadonlyMap<number, Float32Array>, query: Float32Array, limit: number) {
  return [...vectors]
    .map(([label, vector]) => ({ label, score: cosine(query, vector) }))
    .sort((a, b) => b.score - a.score || a.label - b.label)
    .slice(0, limit)
}
