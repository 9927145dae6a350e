import type { Embedder, EmbedKind } from '../../core/embedder.ts'
import { requireVectors } from '../../core/embedder.ts'
import { RouxError } from '../../core/errors.ts'
import { linkSignals, untilAborted } from '../../core/waiting.ts'
import { type Language, languageOf } from '../../search/languages/language-of.ts'
import { queryKind, traitsOf } from '../../search/relevance.ts'
import { type Call, timeLeft } from '../answer/answer-when-ready.ts'
import type { Embedding, GraphCore, Warning } from '../graph-core.ts'

/** Milliseconds that a search waits for the embedding model. After that, it uses words only. */
export const MODEL_TIMEOUT = 5_000

/** Milliseconds to wait for the model even after the call's deadline. */
const MIN_MODEL_TIMEOUT = 500

/** Milliseconds after a failure in which questions do not wait for the model. */
const RETRY_AFTER = 15_000

/** Models that have failed recently, with the reason and the time of the next attempt. */
const recentFailures = new WeakMap<Embedding, { readonly reason: string; readonly until: number }>()

/** A question's embedding, and the model that produced it. */
export interface QuestionVector {
  readonly embedder: Embedder
  readonly vector: Float32Array
  /** The vector for notes in other languages. Omitted if it is the same as `vector`. */
  readonly across?: Float32Array
  /** `undefined` if the question contains no letters. */
  readonly language: Language | undefined
}

/**
 * Returns the embedder that made the vectors in use: the configured one, or the previous one until the new vectors are complete.
 * @throws RouxError `PROVIDER_ERROR`
 */
export async function servingEmbedder(core: GraphCore): Promise<Embedder> {
  if (core.embedding === undefined) throw noEmbedder()
  const embedder = await core.embedding.open()
  const states = await core.store.read((snapshot) => snapshot.vectorStates())
  const noteCount = states.find((state) => state.embedder === embedder.id)?.notes ?? 0
  if (noteCount === 0) await lookAgain(core, embedder)
  const previous = states.find((state) => state.embedder !== embedder.id && state.notes > noteCount)
  return (previous === undefined ? undefined : await core.embedding.openFormer(previous.embedder)) ?? embedder
}

/** Creates the vectors again if another process may have removed them, because it uses another embedder. */
async function lookAgain({ indexing }: GraphCore, embedder: Embedder): Promise<void> {
  const vectors = indexing.status().search?.vectors
  if (vectors?.embedder !== embedder.id || vectors.done === 0) return
  // An error here does no harm: the search looks at the stored vectors again, and the answer says why they are missing.
  await indexing.reconcile([]).catch(() => {})
}

/**
 * Opens the embedder in use. If this takes too long for the call, it goes on in the background for later calls.
 * @throws RouxError `PROVIDER_ERROR`
 */
export async function openedInTime(core: GraphCore, call: Call): Promise<Embedder> {
  const opening = servingEmbedder(core)
  if (isCommand(core)) return await opening
  const patience = AbortSignal.timeout(Math.max(timeLeft(call), MIN_MODEL_TIMEOUT))
  try {
    return await untilAborted(opening, patience)
  } catch (error) {
    if (!patience.aborted) throw error
    throw new RouxError('PROVIDER_ERROR', 'The embedding model is still being loaded.', {
      hint: 'Call again in a moment.',
      isTransient: true,
    })
  }
}

/** Checks whether a person is waiting for a command. */
function isCommand({ indexing }: GraphCore): boolean {
  return indexing.status().watch === 'off'
}

interface EmbedTerms {
  readonly kind: EmbedKind
  readonly signal: AbortSignal | undefined
}

/** Embeds strings. @throws RouxError `PROVIDER_ERROR` */
export async function embedWith(embedder: Embedder, texts: readonly string[], { kind, signal }: EmbedTerms) {
  return requireVectors(embedder, texts.length, await embedder.embed(texts, kind, signal))
}

/**
 * Returns the embedding of a question, or a warning if the model fails. After a failure, the model is not tried again for a
 * while.
 */
export async function tryQuestion(
  core: GraphCore,
  text: string,
  call: Call,
): Promise<QuestionVector | { readonly warning: Warning } | undefined> {
  const { embedding } = core
  if (embedding === undefined) return undefined
  const failure = recentFailures.get(embedding)
  if (failure !== undefined && performance.now() < failure.until) return withoutMeaning(failure.reason)
  // Other questions do not wait for the model while this one tries it again.
  if (failure !== undefined) remember(embedding, failure.reason)
  const time = isCommand(core) ? MODEL_TIMEOUT : Math.min(MODEL_TIMEOUT, Math.max(timeLeft(call), MIN_MODEL_TIMEOUT))
  // Unlike `AbortSignal.timeout`, this timer can be cleared, so it does not stay in memory after the question.
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), time).unref()
  const { signal, unlink } = linkSignals(patience.signal, call.signal)
  const language = languageOf(text, core.languages)
  const opening = servingEmbedder(core)
  let isOpen = false
  try {
    const embedder = await untilAborted(opening, signal)
    isOpen = true
    const kind = queryKind(language)
    const embed = async (as: EmbedKind) => (await untilAborted(embedWith(embedder, [text], { kind: as, signal }), signal))[0]
    const vector = await embed(kind)
    const across = kind === 'query' && traitsOf(embedder.id)?.across !== undefined ? await embed('across') : undefined
    recentFailures.delete(embedding)
    return vector === undefined || vector.every((value) => value === 0)
      ? undefined
      : { embedder, vector, language, ...(across === undefined ? undefined : { across }) }
  } catch (error) {
    call.signal?.throwIfAborted()
    // The model has not failed. The whole call is repeated.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') throw error
    const reason = patience.signal.aborted
      ? `the model did not answer within ${(time / 1_000).toFixed(1).replace(/\.0$/, '')} s`
      : messageOf(error)
    remember(embedding, reason)
    // Once a slow model has opened, clear the back-off.
    if (!isOpen) opening.then(() => recentFailures.delete(embedding)).catch(() => {})
    return withoutMeaning(reason)
  } finally {
    clearTimeout(timer)
    unlink()
  }
}

function remember(embedding: Embedding, reason: string): void {
  recentFailures.set(embedding, { reason, until: performance.now() + RETRY_AFTER })
}

function withoutMeaning(reason: string): { readonly warning: Warning } {
  return { warning: { code: 'FALLBACK', message: `Found by words only, not by meaning: ${reason}` } }
}

export function noEmbedder(): RouxError {
  return new RouxError('PROVIDER_ERROR', 'Search by meaning requires an embedder, but none is configured.', {
    hint: 'Set embedder.kind: "static" is built in and needs nothing else.',
  })
}

/** Explains that a text is not compared by meaning, because the embedder does not know its language. */
export function unknownWarning(subject: string): Warning {
  return {
    code: 'FALLBACK',
    message: `The embedder does not know the language of ${subject}, so it is not compared by meaning. Search by words, or choose a model for this language with the setting embedder.kind.`,
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof RouxError && error.hint !== undefined ? `${error.message} ${error.hint}` : error.message
}
