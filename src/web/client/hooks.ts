import type { Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { RouxError } from '../../core/errors.ts'
import type { Api, ToolAnswer } from './api.ts'
import { api, changes, toRouxError, vault } from './state.ts'

export interface Loaded<T> {
  readonly answer?: T | undefined
  readonly error?: RouxError | undefined
}

type Load<T> = (server: Api, vault: string) => Promise<T>

/** Loads data. It is loaded again when the vault or `reloadKey` changes, and the previous answer stays until then. */
function useLoaded<T>(request: readonly unknown[], load: Load<T>, reloadKey?: number): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly key: string }>()
  const { value: server } = api
  const { value: vaultName } = vault
  const key = JSON.stringify([vaultName, request])
  useEffect(() => {
    let isCancelled = false
    if (server !== undefined)
      load(server, vaultName).then(
        (answer) => isCancelled || setLoaded({ key, answer }),
        (reason: unknown) => {
          if (isCancelled) return
          const error = toRouxError(reason)
          setLoaded((before) => ({ key, answer: before?.key === key ? before.answer : undefined, error }))
        },
      )
    return () => {
      isCancelled = true
    }
  }, [key, changes.value, server, reloadKey])
  return loaded?.key === key ? loaded : {}
}

/** Calls a tool. If there are no arguments, no call is made. */
export function useAnswer<T>(tool: string, args: Record<string, unknown> | undefined): Loaded<ToolAnswer<T>> {
  const { answer, error } = useLoaded([tool, args], async (server, of) => args && (await server.call<T>(tool, args, of)))
  return error === undefined ? { answer } : { error }
}

interface PagesOptions<T> {
  readonly limit: number
  rowsOf(answer: T): readonly unknown[]
  readonly from?: number
  readonly first?: number
}

/** Reloads all pages when the vault changes or another page is loaded, so they are consistent. */
export function usePages<T>(tool: string, args: Record<string, unknown>, options: PagesOptions<T>) {
  const { limit, rowsOf, from = 0, first = 1 } = options
  const [count, setCount] = useState(first)
  const load: Load<readonly ToolAnswer<T>[]> = async (server, of) => {
    const pages: ToolAnswer<T>[] = []
    for (let offset = from; pages.length < count; ) {
      const answer = await server.call<T>(tool, { ...args, limit, offset }, of)
      pages.push(answer)
      offset += rowsOf(answer).length
    }
    return pages
  }
  const { answer: pages = [], error } = useLoaded([tool, args, from], load, count)
  return { pages, error, more: () => setCount(count + 1) }
}

export function useShown<T>(target: Signal<readonly T[]>, items: readonly T[]): void {
  // The effect runs before paint, so later clicks are drawn on top.
  useLayoutEffect(() => {
    target.value = items
    return () => {
      target.value = []
    }
  }, [JSON.stringify(items)])
}
