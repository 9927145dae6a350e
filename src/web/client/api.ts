import type { Warning } from '../../app/graph-core.ts'
import type { PageArguments } from '../../app/links/picture.ts'
import type { PageNote } from '../../app/read/page-note.ts'
import { RouxError } from '../../core/errors.ts'
import type { LinkedFiles } from '../../core/insight/linked-files.ts'
import type { LayoutProgress, PartialPicture } from '../../core/insight/picture.ts'

export type ToolAnswer<T> = T & {
  readonly _warnings?: readonly Warning[]
  readonly error?: ReturnType<RouxError['toJSON']>
}

interface OpenSession {
  readonly session: string
  readonly vaults: readonly string[]
}

/** `there`: the server responds and knows this page's session. */
export type Connection = 'there' | 'lost' | 'ended'

const SESSION_KEY = 'roux-session'

/**
 * Talks to the server that the page came from. The secret is kept in memory and in this tab's session storage, never in the URL.
 */
export class Api {
  readonly #secret: string
  readonly vaults: readonly string[]

  private constructor({ session, vaults }: OpenSession) {
    this.#secret = session
    this.vaults = vaults
  }

  /**
   * Starts a session with the code in the URL, which it removes, or resumes this tab's session. @throws RouxError if there is
   * neither
   */
  static async open(): Promise<Api> {
    const params = new URLSearchParams(location.hash.slice(1))
    const code = params.get('code')
    if (code !== null) {
      params.delete('code')
      history.replaceState(null, '', `${location.pathname}${[...params].length > 0 ? `#${params}` : ''}`)
      const opened: OpenSession = await (await send('/web/session', { code })).json()
      sessionStorage.setItem(SESSION_KEY, JSON.stringify(opened))
      return new Api(opened)
    }
    const stored = sessionStorage.getItem(SESSION_KEY)
    if (stored === null)
      throw new RouxError('PERMISSION_DENIED', 'This page was not opened by Roux.', {
        hint: 'Run "roux open" and use the address that it gives.',
      })
    return new Api(JSON.parse(stored) as OpenSession)
  }

  async call<T>(tool: string, args: Record<string, unknown>, vault?: string): Promise<ToolAnswer<T>> {
    const answer = await this.#post<ToolAnswer<T>>('/web/call', { tool, arguments: { ...args, ...(vault ? { vault } : {}) } })
    if (answer.error !== undefined) throw new RouxError(answer.error.code, answer.error.message, answer.error)
    return answer
  }

  note(id: string, vault?: string): Promise<PageNote | null> {
    return this.#post('/web/note', { id, vault })
  }

  picture(vault: string, shown: PageArguments): Promise<PartialPicture | LayoutProgress> {
    return this.#post('/web/picture', { vault, ...shown })
  }

  files(vault: string): Promise<LinkedFiles> {
    return this.#post('/web/files', { vault })
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    return (await send(path, body, this.#secret)).json()
  }

  /** Returns an image of the vault as an object URL for this page. @throws RouxError if it is not an image or too large */
  async attachment(id: string, vault?: string): Promise<string> {
    const response = await send('/web/attachment', { id, vault }, this.#secret)
    return URL.createObjectURL(await response.blob())
  }

  /** Calls `onChange` after every change, and reconnects until the session ends. `onState` receives the state of the connection. */
  async follow(onChange: () => void, onState: (state: Connection) => void): Promise<void> {
    for (let pause = 500; ; pause = Math.min(pause * 2, 10_000)) {
      try {
        const response = await fetch('/web/events', { headers: authorization(this.#secret) })
        // Another server is responding; the one that knew this session is gone.
        if (response.status === 401) return onState('ended')
        if (response.ok && response.body !== null) {
          onState('there')
          pause = 500
          await readEvents(response.body, onChange)
        }
      } catch {
        // The server is gone, or the computer was asleep.
      }
      onState('lost')
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** Calls `onEvent` for each server-sent event with data, regardless of how the stream is split into chunks. */
export async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, onEvent: () => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) onEvent()
  }
}

/** @throws RouxError if the server refuses, or does not respond */
async function send(path: string, body: unknown, session?: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', ...(session === undefined ? {} : authorization(session)) }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => {
    throw new RouxError('TIMEOUT', 'Roux does not respond.', { hint: 'Is "roux open" still running?', isTransient: true })
  })
  if (response.ok) return response
  const { error } = ((await response.json()) ?? {}) as { error?: { message: string; hint?: string } }
  throw new RouxError('PERMISSION_DENIED', error?.message ?? `The server answers ${response.status}.`, error)
}

function authorization(session: string): Record<string, string> {
  return { Authorization: `Bearer ${session}` }
}
