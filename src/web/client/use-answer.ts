import { useEffect, useState } from 'preact/hooks'
import type { Refused, ToolAnswer } from './api.ts'
import { api, changes, refusalOf, vault } from './state.ts'

/**
 * Returns the answer of a tool, which is requested again when the vault changes. `undefined` until the first answer to these
 * arguments.
 */
export function useAnswer<T>(tool: string, args: Record<string, unknown> | undefined): ToolAnswer<T> | Refused | undefined {
  const [answer, setAnswer] = useState<{ readonly question: string; readonly given: ToolAnswer<T> | Refused }>()
  const { value: changed } = changes
  const { value: of } = vault
  const { value: server } = api
  const question = JSON.stringify([tool, of, args])
  useEffect(() => {
    if (args === undefined) return
    let isGone = false
    const take = (given: ToolAnswer<T> | Refused): void => {
      if (!isGone) setAnswer({ question, given })
    }
    server?.call<T>(tool, args, of).then(take, (error: unknown) => isGone || take(refusalOf(error)))
    return () => {
      isGone = true
    }
  }, [question, changed, server])
  return answer?.question === question ? answer.given : undefined
}

export interface Pages<T> {
  readonly pages: readonly ToolAnswer<T>[]
  /** Why the newest page is missing. */
  readonly refused: Refused | undefined
  readonly more: () => void
}

export interface PagesOptions<T> {
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
export function usePages<T>(tool: string, args: Record<string, unknown>, options: PagesOptions<T>): Pages<T> {
  const { limit, rowsOf, from = 0, first = 1 } = options
  const [count, setCount] = useState(first)
  const [loaded, setLoaded] = useState<Omit<Pages<T>, 'more'> & { readonly question: string }>()
  const { value: changed } = changes
  const { value: of } = vault
  const { value: server } = api
  const question = JSON.stringify([tool, of, args, from])
  useEffect(() => {
    let isGone = false
    const load = async (): Promise<void> => {
      const pages: ToolAnswer<T>[] = []
      for (let offset = from; server !== undefined && pages.length < count; ) {
        const answer = await server.call<T>(tool, { ...args, limit, offset }, of)
        pages.push(answer)
        offset += rowsOf(answer).length
      }
      if (!isGone) setLoaded({ question, pages, refused: undefined })
    }
    const refuse = (error: unknown): void =>
      setLoaded((before) => ({ question, pages: before?.question === question ? before.pages : [], refused: refusalOf(error) }))
    load().catch((error: unknown) => isGone || refuse(error))
    return () => {
      isGone = true
    }
  }, [question, changed, server, count])
  const { pages, refused } = loaded?.question === question ? loaded : { pages: [], refused: undefined }
  return { pages, refused, more: () => setCount(count + 1) }
}
