import { type Embedder, requireVectors } from '../../core/embedder.ts'
import { ALL, type Store } from '../../core/store.ts'
import { untilAborted } from '../../core/waiting.ts'
import { calibrate, type EmbedderTraits, traitsOf, UNKNOWN_WEIGHT, UNRELATED_QUERIES } from '../../search/relevance.ts'
import type { GraphCore } from '../graph-core.ts'
import { MODEL_TIMEOUT } from './question-vector.ts'

/** Number of titles sampled to estimate the cosine of a correct answer. */
const SAMPLED_TITLES = 50
/** These traits apply until the embedder has been measured. */
const DEFAULT_TRAITS: EmbedderTraits = { weight: UNKNOWN_WEIGHT, certainty: { low: 0.25, high: 0.65 } }

const calibrated = new WeakMap<Embedder, Promise<EmbedderTraits>>()
const measured = new WeakMap<Store, Map<string, EmbedderTraits>>()

/** Returns built-in traits for known models. Other models are measured once all notes have vectors, and again after a failure. */
export async function traitsFor(core: GraphCore, embedder: Embedder): Promise<EmbedderTraits> {
  const modelTraits = traitsOf(embedder.id)
  if (modelTraits !== undefined) return modelTraits
  const measuring = calibrated.get(embedder) ?? (isEmbedded(core) ? begin(core, embedder) : undefined)
  if (measuring === undefined) return DEFAULT_TRAITS
  return await untilAborted(measuring, AbortSignal.timeout(MODEL_TIMEOUT)).catch(() => DEFAULT_TRAITS)
}

export function knownTraits({ store }: GraphCore, embedder: string): EmbedderTraits {
  return traitsOf(embedder) ?? measured.get(store)?.get(embedder) ?? DEFAULT_TRAITS
}

/** A measurement before all notes have vectors would give wrong traits. */
function isEmbedded({ indexing }: GraphCore): boolean {
  const vectors = indexing.status().search?.vectors
  return vectors !== undefined && vectors.done >= vectors.total
}

function begin(core: GraphCore, embedder: Embedder): Promise<EmbedderTraits> {
  const measuring = measure(core, embedder)
  calibrated.set(embedder, measuring)
  measuring.then(
    (traits) => measured.set(core.store, new Map(measured.get(core.store)).set(embedder.id, traits)),
    () => calibrated.delete(embedder),
  )
  return measuring
}

async function measure(core: GraphCore, embedder: Embedder): Promise<EmbedderTraits> {
  const { items, total } = await core.store.read((snapshot) => snapshot.select({}, ALL))
  const step = Math.max(1, Math.floor(total / SAMPLED_TITLES))
  const sample = items.filter((_, at) => at % step === 0)
  const nodes = await core.store.read((snapshot) =>
    snapshot.nodes(
      sample.map(({ id }) => id),
      { links: 0 },
    ),
  )
  const { mayEmbed = () => true } = core.embedding ?? {}
  const titles = nodes.flatMap((node) => (node?.path !== undefined && mayEmbed(node.path) ? [node.title] : []))
  const queries = [...UNRELATED_QUERIES, ...titles]
  const vectors = requireVectors(embedder, queries.length, await embedder.embed(queries, 'query'))
  const nearest = await core.store.read((snapshot) => snapshot.nearest(embedder.id, vectors, {}, 1))
  const best = nearest.map(([hit]) => hit?.score ?? Number.NaN)
  const samples = { unrelated: best.slice(0, UNRELATED_QUERIES.length), related: best.slice(UNRELATED_QUERIES.length) }
  return { ...DEFAULT_TRAITS, certainty: calibrate(samples) ?? DEFAULT_TRAITS.certainty }
}
