import { SHUTDOWN } from '../core/waiting.ts'
import { type Refusal, refusal } from './refusal.ts'

/** The limits of the server, with times in milliseconds and sizes in bytes. */
export const LIMITS = {
  // A note has at most 1 MB, but JSON escapes may enlarge it.
  body: 4 * 1024 * 1024,
  // The limit for tokens with the scope `attach`. In base64, 5 MB become 6.7 MB.
  attachmentBody: 8 * 1024 * 1024,
  headers: 100,
  headerBytes: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // The timeout is longer than the usual 60 s of reverse proxies, which must not reuse a connection that is closing.
  idleTimeout: 75_000,
  // Calls end within 30 s, and streams send something every 15 s.
  stallTimeout: 120_000,
  requestsPerConnection: 10_000,
  connections: 512,
  // All calls share one thread, so a higher limit would only make them wait.
  calls: 128,
  callsPerToken: 64,
  streams: 256,
  streamsPerToken: 128,
  // A client with this many unread notifications has stopped reading.
  streamBacklog: 1_000,
  sessions: 512,
  sessionsPerToken: 256,
  sessionIdle: 30 * 60_000,
  keepAlive: 15_000,
  drain: SHUTDOWN.drain,
}

export type Limits = Readonly<Record<keyof typeof LIMITS, number>>

export type Slot = { readonly refusal: Refusal } | { end(): void }

type LoadLimits = Pick<Limits, 'calls' | 'callsPerToken' | 'streams' | 'streamsPerToken'>

export type Load = ReturnType<typeof openLoad>

/** Opens slots for calls and streams. No token can use all of them. */
export function openLoad(limits: LoadLimits) {
  const calls = openSlots('calls are in progress', { total: limits.calls, perToken: limits.callsPerToken })
  const streams = openSlots('streams are open', { total: limits.streams, perToken: limits.streamsPerToken })
  let onIdle: (() => void) | undefined
  return {
    call: (key: string): Slot =>
      calls.take(key, () => {
        if (calls.taken() === 0) onIdle?.()
      }),
    stream: (key: string): Slot => streams.take(key),
    /** Resolves when no call is in progress, or after `atMost` milliseconds. */
    async idle(atMost: number): Promise<void> {
      if (calls.taken() === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, atMost)
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}

function openSlots(resource: string, { total, perToken }: { readonly total: number; readonly perToken: number }) {
  const byToken = new Map<string, number>()
  let taken = 0
  const count = (key: string, more: 1 | -1): void => {
    taken += more
    const usedByToken = (byToken.get(key) ?? 0) + more
    if (usedByToken === 0) byToken.delete(key)
    else byToken.set(key, usedByToken)
  }
  return {
    taken: () => taken,
    take(key: string, onEnd: () => void = () => {}): Slot {
      const usedByToken = byToken.get(key) ?? 0
      if (usedByToken >= perToken)
        return { refusal: tooMany(`${usedByToken} ${resource} for this token, which is the limit per token.`) }
      if (taken >= total) return { refusal: tooMany(`${taken} ${resource}, which is the limit of this server.`) }
      count(key, 1)
      let isEnded = false
      return {
        end: () => {
          if (isEnded) return
          isEnded = true
          count(key, -1)
          onEnd()
        },
      }
    },
  }
}

function tooMany(message: string): Refusal {
  return refusal(429, message, { hint: 'Try again in a moment.', headers: { 'Retry-After': '1' } })
}
