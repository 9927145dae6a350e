import type { Warning } from '../../app/graph-core.ts'
import type { PageArguments } from '../../app/links/picture.ts'
import type { PageNote } from '../../app/read/page-note.ts'
import { RouxError } from '../../core/errors.ts'
import type { LayoutProgress, LinkedFiles, PartialPicture } from '../../core/insight/picture.ts'
import { memoizeLast } from './memoize-last.ts'
import { tabStorage } from './storage.ts'

export type ToolAnswer<T> = T & {
  readonly _warnings?: readonly Warning[]
  readonly error?: ReturnType<RouxError['toJSON']>
}

/** The state of the connection. `there`: the server knows this page's session. `ended`: it does not. */
export type Connection = 'there' | 'lost' | 'ended'

const SESSION_KEY = 'roux-session'

export type Api = Awaited<ReturnType<typeof openApi>>

/**
 * Starts a session with the code in the URL and removes the code, or resumes the session of this tab. Requests throw a RouxError
 * if the server refuses or does not respond.
 * @throws RouxError if there is neither a code nor a session
 */
export async function openApi() {
  const params = new URLSearchParams(location.hash.slice(1))
  const code = params.get('code')
  if (code !== null) {
    params.delete('code')
    history.replaceState(null, '', params.size > 0 ? `#${params}` : location.pathname)
    tabStorage.setItem(SESSION_KEY, await (await send('/web/session', { code })).text())
  }
  const stored = tabStorage.getItem(SESSION_KEY)
  if (stored === null)
    throw new RouxError('PERMISSION_DENIED', 'This page was not opened by Roux.', {
      hint: 'Run "roux open" and use the address that it gives.',
    })
  const { session, vaults } = JSON.parse(stored) as { readonly session: string; readonly vaults: readonly string[] }
  const post = async <T>(path: string, body: unknown): Promise<T> => (await send(path, body, session)).json()
  const parsed = memoizeLast((text: string) => [text], JSON.parse)
  return {
    vaults,
    async call<T>(tool: string, args: Record<string, unknown>, vault?: string): Promise<ToolAnswer<T>> {
      const answer = await post<ToolAnswer<T>>('/web/call', { tool, arguments: { ...args, ...(vault && { vault }) } })
      if (answer.error !== undefined) throw new RouxError(answer.error.code, answer.error.message, answer.error)
      return answer
    },
    note: (id: string, vault?: string) => post<PageNote | null>('/web/note', { id, vault }),
    /** Returns the same object as before if the picture has not changed, so it is not drawn again. */
    picture: async (vault: string, shown: PageArguments): Promise<PartialPicture | LayoutProgress> =>
      parsed(await (await send('/web/picture', { vault, ...shown }, session)).text()),
    files: (vault: string) => post<LinkedFiles>('/web/files', { vault }),
    /** Returns an object URL. The promise rejects for files that are too large or not images. */
    async attachment(id: string, vault?: string): Promise<string> {
      const response = await send('/web/attachment', { id, vault }, session)
      return URL.createObjectURL(await response.blob())
    },
    /** Calls `onChange` after every change, and reconnects until the session ends. */
    async follow(onChange: () => void, onState: (state: Connection) => void): Promise<void> {
      for (let pause = 500; ; pause = Math.min(pause * 2, 10_000)) {
        try {
          const response = await fetch('/web/events', { headers: authorization(session) })
          // A server that has restarted does not know the session.
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
    },
  }
}

/** Calls `onEvent` for each event with data. A chunk can end within an event or a character. */
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
  const headers = { 'Content-Type': 'application/json', ...(session && authorization(session)) }
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
