import { useEffect, useState } from 'preact/hooks'
import type { Api, Refused, ToolAnswer } from './api.ts'
import { api, changes, refusalOf, vault } from './state.ts'

export interface Loaded<T> {
  readonly answer?: T | undefined
  readonly refused?: Refused | undefined
}

/** Loads the answer to a question, and again when the vault changes or `again` does. Until there is a new one, the last answer stays. */
function useLoaded<T>(about: readonly unknown[], load: (server: Api, vault: string) => Promise<T>, again?: number): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly question: string }>()
  const { value: changed } = changes
  const { value: of } = vault
  const { value: server } = api
  const question = JSON.stringify([of, about])
  const current = loaded?.question === question ? loaded : undefined
  useEffect(() => {
    let isGone = server === undefined
    if (server !== undefined)
      load(server, of).then(
        (answer) => isGone || setLoaded({ question, answer }),
        (error: unknown) => {
          if (isGone) return
          const refused = refusalOf(error)
          setLoaded((before) => ({ question, answer: before?.question === question ? before.answer : undefined, refused }))
        },
      )
    return () => {
      isGone = true
    }
  }, [question, changed, server, again])
  return current ?? {}
}

/** Returns the answer of a tool, or why there is none. Without arguments, nothing is asked. */
export function useAnswer<T>(tool: string, args: Record<string, unknown> | undefined): Loaded<ToolAnswer<T>> {
  const { answer, refused } = useLoaded([tool, args], async (server, of) => args && (await server.call<T>(tool, args, of)))
  return refused === undefined ? { answer } : { refused }
}

interface PagesOptions<T> {
  /** Rows per page. */
  readonly limit: number
  rowsOf(answer: T): readonly unknown[]
  /** Number of rows that are already shown. */
  readonly from?: number
  /** Number of pages to load at first. */
  readonly first?: number
}

/**
 * Returns the pages of a tool's list. All of them are requested again when the vault changes or one more page is loaded, so they
 * are consistent.
 */
export function usePages<T>(tool: string, args: Record<string, unknown>, options: PagesOptions<T>) {
  const { limit, rowsOf, from = 0, first = 1 } = options
  const [count, setCount] = useState(first)
  const load = async (server: Api, of: string): Promise<readonly ToolAnswer<T>[]> => {
    const pages: ToolAnswer<T>[] = []
    for (let offset = from; pages.length < count; ) {
      const answer = await server.call<T>(tool, { ...args, limit, offset }, of)
      pages.push(answer)
      offset += rowsOf(answer).length
    }
    return pages
  }
  const { answer: pages = [], refused } = useLoaded([tool, args, from], load, count)
  return { pages, refused, more: () => setCount(count + 1) }
}
