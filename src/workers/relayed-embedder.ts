import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { isTransient, RouxError } from '../core/errors.ts'
import type { EmbedderReply, EmbedderRequest } from './messages.ts'

/** Sends requests for an embedder that another thread holds, and gives its answers to who waits for them. */
export class EmbedderRelay {
  readonly #send: (request: EmbedderRequest) => void
  readonly #waiting = new Map<number, (reply: EmbedderReply) => void>()
  #nextId = 1

  constructor(send: (request: EmbedderRequest) => void) {
    this.#send = send
  }

  /** @throws RouxError `PROVIDER_ERROR` when the other thread cannot open it. */
  async open(): Promise<Embedder> {
    const reply = await this.#ask({ type: 'openEmbedder', id: this.#nextId++ })
    if (reply.type !== 'embedderOpened') throw unexpected()
    const { embedder, dimensions, batch } = reply
    return {
      id: embedder,
      dimensions,
      batch,
      embed: (texts, kind, signal) => this.#embed(texts, kind, signal),
      close: async () => {},
    }
  }

  receive(reply: EmbedderReply): void {
    this.#waiting.get(reply.id)?.(reply)
    this.#waiting.delete(reply.id)
  }

  async #embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    signal?.throwIfAborted()
    const reply = await this.#ask({ type: 'embed', id: this.#nextId++, texts, kind })
    signal?.throwIfAborted()
    if (reply.type !== 'embedded') throw unexpected()
    return reply.vectors
  }

  #ask(request: EmbedderRequest): Promise<EmbedderReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, (reply) => (reply.type === 'embedderFailed' ? reject(failureOf(reply)) : resolve(reply)))
      this.#send(request)
    })
  }
}

/** Answers such requests where the embedder is. */
export async function serveEmbedder(request: EmbedderRequest, open: () => Promise<Embedder>): Promise<EmbedderReply> {
  const { id } = request
  try {
    const embedder = await open()
    if (request.type === 'embed') return { type: 'embedded', id, vectors: await embedder.embed(request.texts, request.kind) }
    return { type: 'embedderOpened', id, embedder: embedder.id, dimensions: embedder.dimensions, batch: embedder.batch }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const hint = error instanceof RouxError ? error.hint : undefined
    return {
      type: 'embedderFailed',
      id,
      message,
      isTransient: isTransient(error),
      ...(hint === undefined ? undefined : { hint }),
    }
  }
}

function failureOf({ message, hint, isTransient }: EmbedderReply & { readonly type: 'embedderFailed' }): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { isTransient, ...(hint === undefined ? {} : { hint }) })
}

function unexpected(): Error {
  return new Error('the embedder answered something else than was asked')
}
