import { useEffect, useState } from 'preact/hooks'
import type { Refused, ToolAnswer } from './api.ts'
import { api, changes, refusalOf, vault } from './state.ts'

/** What a tool answers, asked again when the vault changes; `undefined` until there is any. */
export function useAnswer<T>(tool: string, args: Record<string, unknown> | undefined): ToolAnswer<T> | Refused | undefined {
  const [answer, setAnswer] = useState<ToolAnswer<T> | Refused>()
  const { value: changed } = changes
  const key = JSON.stringify(args)
  useEffect(() => {
    if (args === undefined) return setAnswer(undefined)
    let isGone = false
    const asked = api.value?.call<T>(tool, args, vault.value)
    asked?.then(
      (given) => !isGone && setAnswer(given),
      (error: unknown) => !isGone && setAnswer(refusalOf(error)),
    )
    return () => {
      isGone = true
    }
  }, [tool, key, changed])
  return answer
}
