import { useEffect, useState } from 'preact/hooks'
import type { Refused, ToolAnswer } from './api.ts'
import { api, changes, refusalOf, vault } from './state.ts'

/** The answer of a tool, requested again when the vault changes; `undefined` until the first answer to these arguments. */
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
