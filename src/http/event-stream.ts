import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { messageToJson } from '../mcp/transport/json-rpc.ts'
import type { Limits } from './limits.ts'
import type { Exchange } from './routes.ts'

export type EventStream = ReturnType<typeof eventStream>

/** Opens an event stream. @param onEnd called once when either side ends the stream */
export function eventStream(response: ServerResponse, { keepAlive, streamBacklog }: Limits, onEnd: () => void = () => {}) {
  let waiting = 0
  let isOpen = true
  const write = (text: string): void => {
    if (!isOpen) return
    if (waiting >= streamBacklog) {
      response.destroy()
      return
    }
    waiting++
    response.write(text, () => {
      waiting--
    })
  }
  response.writeHead(200, EVENT_STREAM)
  response.flushHeaders()
  const timer = setInterval(() => write(': still here\n\n'), keepAlive)
  const stop = (): void => {
    isOpen = false
    clearInterval(timer)
  }
  response.once('close', () => {
    stop()
    onEnd()
  })
  return {
    /** Sends a message, and closes the stream if the client has stopped reading. */
    send: (message: object): void => write(`event: message\ndata: ${messageToJson(message)}\n\n`),
    end(): void {
      if (!isOpen) return
      stop()
      response.end()
    },
  }
}

/** Starts a stream at the first event, if the client accepts streams. */
export function eventsOnDemand({ request, response }: Pick<Exchange<unknown>, 'request' | 'response'>, limits: Limits) {
  let stream: EventStream | undefined
  return {
    send(message: JSONRPCMessage): void {
      if (response.destroyed || !String(request.headers.accept).includes('text/event-stream')) return
      stream ??= eventStream(response, limits)
      stream.send(message)
    },
    /** @returns false if no stream has started */
    end(answers: readonly JSONRPCMessage[]): boolean {
      for (const answer of answers) stream?.send(answer)
      stream?.end()
      return stream !== undefined
    },
  }
}

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // This header keeps nginx from buffering the stream.
  'X-Accel-Buffering': 'no',
}
