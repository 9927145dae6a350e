/** An incoming JSON-RPC message. */
interface Message {
  readonly jsonrpc?: unknown
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
  readonly error?: { readonly message?: unknown }
}

export interface BridgeEvents {
  onNotification(method: string, params: Record<string, unknown>): void
  /** Returns the response to a request, or `undefined` for an unknown one. */
  onRequest(method: string): object | undefined
}

const METHOD_NOT_FOUND = -32601

/** Exchanges JSON-RPC messages with the host that frames this page, and with nobody else. */
export class Bridge {
  readonly #host: Window
  readonly #events: BridgeEvents
  readonly #waiting = new Map<string | number, { resolve(result: unknown): void; reject(error: Error): void }>()
  readonly #listen = (event: MessageEvent<unknown>): void => this.#receive(event)
  #lastId = 0

  constructor(host: Window, events: BridgeEvents) {
    this.#host = host
    this.#events = events
    addEventListener('message', this.#listen)
  }

  /** @throws Error with the host's message */
  request(method: string, params: object): Promise<unknown> {
    this.#lastId++
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: object): void {
    this.#send({ method, params })
  }

  /** Ends the connection. Pending requests fail. */
  end(): void {
    removeEventListener('message', this.#listen)
    for (const { reject } of this.#waiting.values()) reject(new Error('This page was closed.'))
    this.#waiting.clear()
  }

  /** Sends a message to any parent, because a framed page does not know its host's origin. */
  #send(message: object): void {
    this.#host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  }

  #receive({ source, data }: MessageEvent<unknown>): void {
    if (source !== this.#host || typeof data !== 'object' || data === null) return
    const { jsonrpc, id, method, params = {}, result, error } = data as Message
    if (jsonrpc !== '2.0') return
    if (typeof method === 'string') {
      if (id === undefined) this.#events.onNotification(method, params)
      else this.#answer(id, method)
      return
    }
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (id === undefined || waiting === undefined) return
    this.#waiting.delete(id)
    if (error === undefined) waiting.resolve(result)
    else waiting.reject(new Error(String(error.message ?? 'The chat refused.')))
  }

  #answer(id: string | number, method: string): void {
    const result = this.#events.onRequest(method)
    if (result === undefined) this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `Unknown method: ${method}` } })
    else this.#send({ id, result })
  }
}
