import type { Embedder } from '../core/embedder.ts'
import { calibrate, type EmbedderTraits, traitsOf, UNKNOWN_WEIGHT, UNRELATED_QUERIES } from '../search/relevance.ts'
import type { GraphCore } from './graph-core.ts'

/** Titles of the vault that show what the cosine of a right answer is. */
const RELATED_TITLES = 50
/** What is assumed of a model before the vault can tell. */
const UNKNOWN = { low: 0.25, high: 0.65 }

const calibrated = new WeakMap<Embedder, Promise<EmbedderTraits>>()

/** What an embedder's cosines mean: known of some models, of others found out once from the vault itself. */
export async function traitsFor(core: GraphCore, embedder: Embedder): Promise<EmbedderTraits> {
  const known = traitsOf(embedder.id)
  if (known !== undefined) return known
  const before = calibrated.get(embedder)
  if (before !== undefined) return await before
  const measuring = measure(core, embedder)
  calibrated.set(embedder, measuring)
  measuring.catch(() => calibrated.delete(embedder))
  return await measuring
}

async function measure(core: GraphCore, embedder: Embedder): Promise<EmbedderTraits> {
  const { total } = await core.store.select({}, { offset: 0, limit: 0 })
  const step = Math.max(1, Math.floor(total / RELATED_TITLES))
  const { items } = await core.store.select({}, { offset: 0, limit: total })
  const titles = items.filter((_, at) => at % step === 0).map(({ title }) => title)
  const vectors = await embedder.embed([...UNRELATED_QUERIES, ...titles], 'query')
  const best: number[] = []
  for (const vector of vectors) best.push((await core.store.nearest(embedder.id, vector, {}, 1))[0]?.score ?? Number.NaN)
  const samples = { unrelated: best.slice(0, UNRELATED_QUERIES.length), related: best.slice(UNRELATED_QUERIES.length) }
  return { weight: UNKNOWN_WEIGHT, certainty: calibrate(samples) ?? UNKNOWN }
}
