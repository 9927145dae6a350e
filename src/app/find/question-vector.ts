import { type Embedder, type EmbedKind, requireVectors } from '../../core/embedder.ts'
import { RouxError } from '../../core/errors.ts'
import { linkSignals, untilAborted } from '../../core/waiting.ts'
import { type Language, languageOf } from '../../search/languages/language-of.ts'
import { queryKind, traitsOf } from '../../search/relevance.ts'
import { type Call, timeLeft } from '../answer/answer-when-ready.ts'
import type { Embedding, GraphCore, Warning } from '../graph-core.ts'

export const MODEL_TIMEOUT = 5_000

/** The model always gets this much time, even after the call's deadline. */
const MIN_MODEL_TIMEOUT = 500

/** Delay in milliseconds before a failed model is tried again. */
const RETRY_AFTER = 15_000

const recentFailures = new WeakMap<Embedding, { readonly reason: string; readonly until: number }>()

export interface QuestionVector {
  readonly embedder: Embedder
  readonly vector: Float32Array
  /** The vector to compare with notes in other languages. It is omitted if it equals `vector`. */
  readonly across?: Float32Array
  /** The question's language, or `undefined` if the question contains no letters. */
  readonly language: Language | undefined
}

/** Returns the previous embedder until the configured one has embedded all notes. @throws RouxError `PROVIDER_ERROR` */
export async function servingEmbedder(core: GraphCore): Promise<Embedder> {
  if (core.embedding === undefined) throw noEmbedder()
  const embedder = await core.embedding.open()
  const states = await core.store.read((snapshot) => snapshot.vectorStates())
  const noteCount = states.find((state) => state.embedder === embedder.id)?.notes ?? 0
  if (noteCount === 0) await lookAgain(core, embedder)
  const previous = states.find((state) => state.embedder !== embedder.id && state.notes > noteCount)
  return (previous === undefined ? undefined : await core.embedding.openFormer(previous.embedder)) ?? embedder
}

/** Checks the embedder's vectors again, because another process may have removed them if it uses another embedder. */
async function lookAgain({ indexing }: GraphCore, embedder: Embedder): Promise<void> {
  const vectors = indexing.status().search?.vectors
  if (vectors?.embedder !== embedder.id || vectors.done === 0) return
  // Ignore errors, because the search reports missing vectors.
  await indexing.reconcile([]).catch(() => {})
}

/**
 * Opens the embedder, or gives up after a timeout while the model continues to load in the background.
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

function isCommand({ indexing }: GraphCore): boolean {
  return indexing.status().watch === 'off'
}

interface EmbedTerms {
  readonly kind: EmbedKind
  readonly signal: AbortSignal | undefined
}

export async function embedWith(embedder: Embedder, texts: readonly string[], { kind, signal }: EmbedTerms) {
  return requireVectors(embedder, texts.length, await embedder.embed(texts, kind, signal))
}

/** Embeds a question, or returns a warning if the model fails. A failed model is not tried again for `RETRY_AFTER`. */
export async function tryQuestion(
  core: GraphCore,
  text: string,
  call: Call,
): Promise<QuestionVector | { readonly warning: Warning } | undefined> {
  const { embedding } = core
  if (embedding === undefined) return undefined
  const failure = recentFailures.get(embedding)
  if (failure !== undefined && performance.now() < failure.until) return withoutMeaning(failure.reason)
  if (failure !== undefined) remember(embedding, failure.reason)
  const time = isCommand(core) ? MODEL_TIMEOUT : Math.min(MODEL_TIMEOUT, Math.max(timeLeft(call), MIN_MODEL_TIMEOUT))
  // A controller is needed here, because a timer of `AbortSignal.timeout` cannot be cleared.
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
    // The caller retries the call after this error.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') throw error
    const reason = patience.signal.aborted
      ? `the model did not answer within ${(time / 1_000).toFixed(1).replace(/\.0$/, '')} s`
      : messageOf(error)
    remember(embedding, reason)
    // A slow model that has opened at last no longer counts as failed.
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
