import { isRecord } from '../../../core/is-record.ts'
import { type Fields, fieldsOf } from './answer.ts'

export interface BridgeEvents {
  onNotification(method: string, params: Fields): void
  onRequest(method: string): object | undefined
}

const METHOD_NOT_FOUND = -32601

/** Exchanges JSON-RPC messages with the parent window. Messages from other windows are ignored. */
export function openBridge(host: Window, { onNotification, onRequest }: BridgeEvents) {
  const waiting = new Map<unknown, { resolve(result: unknown): void; reject(error: Error): void }>()
  const listening = new AbortController()
  let lastId = 0
  // The origin of the parent window is unknown, so allow any.
  const send = (message: object): void => host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const receive = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== host || !isRecord(data) || data.jsonrpc !== '2.0') return
    const { id, method, params, result, error } = data
    if (typeof method !== 'string') {
      if (error === undefined) waiting.get(id)?.resolve(result)
      else waiting.get(id)?.reject(new Error(String(fieldsOf(error).message ?? 'The chat refused.')))
      waiting.delete(id)
    } else if (id === undefined) onNotification(method, fieldsOf(params))
    else {
      const answer = onRequest(method)
      const unknown = { code: METHOD_NOT_FOUND, message: `Unknown method: ${method}` }
      send({ id, ...(answer === undefined ? { error: unknown } : { result: answer }) })
    }
  }
  addEventListener('message', receive, { signal: listening.signal })
  return {
    /** Sends a request to the host. @throws Error with the host's message */
    request(method: string, params: object): Promise<unknown> {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
    notify: (method: string, params: object) => send({ method, params }),
    end(): void {
      listening.abort()
      for (const { reject } of waiting.values()) reject(new Error('This page was closed.'))
      waiting.clear()
    },
  }
}
