import { isRecord } from '../../../core/is-record.ts'

/** An incoming JSON-RPC message. */
interface Message {
  readonly id?: string | number
  readonly method?: unknown
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
export function openBridge(host: Window, { onNotification, onRequest }: BridgeEvents) {
  const waiting = new Map<unknown, { resolve(result: unknown): void; reject(error: Error): void }>()
  const listening = new AbortController()
  let lastId = 0
  // Any parent may receive messages, because a framed page does not know its host's origin.
  const send = (message: object): void => host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const answer = (id: string | number, method: string): void => {
    const result = onRequest(method)
    if (result === undefined) send({ id, error: { code: METHOD_NOT_FOUND, message: `Unknown method: ${method}` } })
    else send({ id, result })
  }
  const receive = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== host || !isRecord(data) || data.jsonrpc !== '2.0') return
    const { id, method, params = {}, result, error }: Message = data
    const request = waiting.get(id)
    if (typeof method !== 'string') waiting.delete(id)
    if (typeof method === 'string' && id === undefined) onNotification(method, params)
    else if (typeof method === 'string' && id !== undefined) answer(id, method)
    else if (error === undefined) request?.resolve(result)
    else request?.reject(new Error(String(error.message ?? 'The chat refused.')))
  }
  addEventListener('message', receive, { signal: listening.signal })
  return {
    /** @throws Error with the host's message */
    request(method: string, params: object): Promise<unknown> {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
    notify: (method: string, params: object) => send({ method, params }),
    /** Ends the connection. Pending requests fail. */
    end(): void {
      listening.abort()
      for (const { reject } of waiting.values()) reject(new Error('This page was closed.'))
      waiting.clear()
    },
  }
}
