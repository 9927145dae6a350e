import { type ErrorCode, type ErrorDetails, RouxError } from './errors.ts'
import { once } from './waiting.ts'

export interface Call {
  readonly id: number
  readonly method: string
  readonly argument: unknown
}

export type Reply = { readonly id: number } & (
  | { readonly progress: unknown }
  | { readonly result: unknown }
  | { readonly error: SentError }
)

interface SentError extends Pick<ErrorDetails, 'hint' | 'candidates' | 'isTransient'> {
  readonly message: string
  readonly stack?: string
  readonly code?: ErrorCode
}

export type Methods<S> = { readonly [Name in keyof S]: (argument: never, onProgress: never) => unknown }

type ArgumentOf<Method> = Method extends (argument: infer Argument, ...rest: never) => unknown ? Argument : never
type ProgressOf<Method> = Method extends (argument: never, onProgress: (progress: infer Progress) => void) => unknown
  ? Progress
  : never
type ResultOf<Method> = Method extends (...all: never) => infer Result ? Awaited<Result> : never

export interface CallOptions<Method> {
  /** Buffers that are transferred instead of copied. */
  readonly transfer?: readonly ArrayBufferLike[]
  onProgress?(progress: ProgressOf<Method>): void
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
  onProgress?(progress: unknown): void
}

export class Calls<S extends Methods<S>> {
  readonly #post: (call: Call, transfer: readonly ArrayBuffer[]) => void
  readonly #pending = new Map<number, Pending>()
  #nextId = 1

  constructor(post: (call: Call, transfer: readonly ArrayBuffer[]) => void) {
    this.#post = post
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  /** Calls a method of the worker. @throws the method's error, or the error passed to `fail` */
  call<Name extends keyof S & string>(
    method: Name,
    argument: ArgumentOf<S[Name]>,
    { transfer = [], ...options }: CallOptions<S[Name]> = {},
  ): Promise<ResultOf<S[Name]>> {
    return new Promise<unknown>((resolve, reject) => {
      const id = this.#nextId++
      // This call throws if the argument cannot be cloned, before the call becomes pending.
      this.#post({ id, method, argument }, transfer as readonly ArrayBuffer[])
      this.#pending.set(id, { resolve, reject, ...(options as Pick<Pending, 'onProgress'>) })
    }) as Promise<ResultOf<S[Name]>>
  }

  receive(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    if ('progress' in reply) {
      pending?.onProgress?.(reply.progress)
      return
    }
    this.#pending.delete(reply.id)
    if ('result' in reply) pending?.resolve(reply.result)
    else pending?.reject(received(reply.error))
  }

  fail(error: Error): void {
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(error)
  }
}

export async function answer<S extends Methods<S>>(
  service: S,
  { id, method, argument }: Call,
  send: (reply: Reply) => void,
): Promise<void> {
  try {
    const run = service[method as keyof S] as unknown as Run
    send({ id, result: await run(argument, (progress) => send({ id, progress })) })
  } catch (error) {
    send({ id, error: toSend(error) })
  }
}

type Run = (argument: unknown, onProgress: (progress: unknown) => void) => unknown

function toSend(error: unknown): SentError {
  if (!(error instanceof Error)) return { message: String(error) }
  const { message, stack } = error
  const { code, hint, candidates, isTransient }: Partial<RouxError> = error instanceof RouxError ? error : {}
  return Object.fromEntries(
    Object.entries({ message, stack, code, hint, candidates, isTransient }).filter(([, value]) => value !== undefined),
  ) as unknown as SentError
}

function received({ message, stack, code, ...details }: SentError): Error {
  const error = code === undefined ? new Error(message) : new RouxError(code, message, details)
  if (stack !== undefined) error.stack = stack
  return error
}

export interface CalledWorker {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (reply: Reply) => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'exit', listener: () => void): unknown
  ref(): void
  unref(): void
}

/** Calls methods of a worker, and starts the worker when needed, even after a crash. */
export class WorkerCalls<S extends Methods<S>, Worker extends CalledWorker> {
  readonly #start: () => Worker
  readonly #onEnd: (error: unknown) => Error
  #running: { readonly worker: Worker; readonly calls: Calls<S> } | undefined
  #holders = 0

  /** @param onEnd receives the error of a crashed worker, if any, and returns the error for pending calls */
  constructor(start: () => Worker, onEnd: (error: unknown) => Error) {
    this.#start = start
    this.#onEnd = onEnd
  }

  get worker(): Worker | undefined {
    return this.#running?.worker
  }

  get isIdle(): boolean {
    return this.#running?.calls.isIdle ?? true
  }

  /** Calls a method and keeps the process alive until the call completes. */
  async call<Name extends keyof S & string>(
    method: Name,
    argument: ArgumentOf<S[Name]>,
    options?: CallOptions<S[Name]>,
  ): Promise<ResultOf<S[Name]>> {
    const release = this.hold()
    try {
      return await this.callAside(method, argument, options)
    } finally {
      release()
    }
  }

  /** Works like `call`, but does not keep the process alive. */
  async callAside<Name extends keyof S & string>(
    method: Name,
    argument: ArgumentOf<S[Name]>,
    options?: CallOptions<S[Name]>,
  ): Promise<ResultOf<S[Name]>> {
    return await this.#started().calls.call(method, argument, options)
  }

  /** Starts the worker and keeps the process alive until the returned function is called. */
  hold(): () => void {
    this.#started().worker.ref()
    this.#holders++
    return once(() => {
      if (--this.#holders === 0) this.worker?.unref()
    })
  }

  /** Releases the worker, which the caller must terminate. The next call starts a new one. */
  release(): Worker | undefined {
    const worker = this.worker
    this.#running = undefined
    return worker
  }

  #started(): { readonly worker: Worker; readonly calls: Calls<S> } {
    if (this.#running !== undefined) return this.#running
    const worker = this.#start()
    const running = { worker, calls: new Calls<S>((call, transfer) => worker.postMessage(call, transfer)) }
    this.#running = running
    worker.on('message', (reply) => running.calls.receive(reply))
    const end = (error?: unknown): void => {
      // The exit event of a failed worker can arrive after its successor has started.
      if (this.#running !== running) return
      this.#running = undefined
      running.calls.fail(this.#onEnd(error))
    }
    worker.on('error', end)
    worker.on('exit', () => end())
    // The worker is unreferenced again, because a message listener keeps the process alive, too.
    worker.unref()
    return running
  }
}
