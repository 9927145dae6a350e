import { foldId, type NodeId } from '../core/ids.ts'
import type { NameHit, Scope } from '../core/store.ts'
import { answer, type Call, plain } from './answer.ts'
import { answerFindable } from './findable.ts'
import type { Answer, GraphCore } from './graph-core.ts'
import { meaningSame } from './resolve-semantic.ts'
import { toScope } from './scope.ts'
import { takeTurns } from './take-turns.ts'

export interface ResolveArguments {
  readonly names: readonly string[]
  readonly strategy: 'exact' | 'fuzzy' | 'semantic'
  /** Least similarity, 0–1; not for `exact`. */
  readonly threshold: number
  readonly tag?: string | undefined
  readonly path?: string | undefined
}

/** What told the chosen note from the others that fit. */
export type ChoiceRule = 'higher score' | 'title before alias' | 'shortest id' | 'first id' | 'first vault'

export interface ResolvedName {
  readonly query: string
  /** `null` when nothing fits. */
  readonly match: NodeId | null
  /** 0 when nothing fits. */
  readonly score: number
  /** Where several fit: all of them up to a bound, the chosen one first. */
  readonly candidates?: readonly { readonly id: NodeId; readonly title?: string; readonly score: number }[]
  readonly rule?: ChoiceRule
}

/** How many notes that fit an answer names. */
const MAX_CANDIDATES = 5

/** How many similar names are compared: several notes may share the best score. */
const MAX_SIMILAR = 20

/**
 * The notes that names mean, in order.
 * @throws RouxError `PROVIDER_ERROR` for `semantic` without an embedder.
 */
export function resolveNodes(core: GraphCore, args: ResolveArguments, call: Call = {}): Promise<Answer<readonly ResolvedName[]>> {
  if (args.strategy === 'semantic') return resolveByMeaning(core, args, call)
  return answer(core, call, async () => {
    const scope = toScope({ tag: args.tag, path: args.path })
    const resolved: ResolvedName[] = []
    const turn = takeTurns(call.signal)
    for (const name of args.names) {
      await turn()
      resolved.push(choose(name, await fitting(core, name, { ...args, scope })))
    }
    return plain(resolved)
  })
}

function resolveByMeaning(
  core: GraphCore,
  { names, threshold, tag, path }: ResolveArguments,
  given: Call,
): Promise<Answer<readonly ResolvedName[]>> {
  return answerFindable(core, given, 'meaning', async (call) => {
    const found = await meaningSame(core, names, { scope: toScope({ tag, path }), threshold }, call)
    return { value: names.map((name, at) => choose(name, found.value[at] ?? [])), warnings: found.warnings }
  })
}

interface Wanted {
  readonly strategy: ResolveArguments['strategy']
  readonly threshold: number
  readonly scope: Scope
}

async function fitting(core: GraphCore, name: string, wanted: Wanted): Promise<readonly NameHit[]> {
  const equal = await core.store.named(name, wanted.scope)
  if (equal.length > 0 || wanted.strategy === 'exact') return equal
  return await core.store.similarNames(name, wanted.scope, { limit: MAX_SIMILAR, minimum: wanted.threshold })
}

function choose(query: string, hits: readonly NameHit[]): ResolvedName {
  const ranked = [...hits].sort(compare)
  const [best, next] = ranked
  if (best === undefined) return { query, match: null, score: 0 }
  if (next === undefined) return { query, match: best.id, score: round(best.score) }
  const candidates = ranked.slice(0, MAX_CANDIDATES).map(({ id, title, score }) => ({ id, title, score: round(score) }))
  return { query, match: best.id, score: round(best.score), candidates, rule: ruleBetween(best, next) }
}

function compare(a: NameHit, b: NameHit): number {
  return (
    b.score - a.score ||
    Number(isAlias(a)) - Number(isAlias(b)) ||
    a.id.length - b.id.length ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  )
}

function ruleBetween(best: NameHit, next: NameHit): ChoiceRule {
  if (best.score !== next.score) return 'higher score'
  if (isAlias(best) !== isAlias(next)) return 'title before alias'
  return best.id.length === next.id.length ? 'first id' : 'shortest id'
}

function isAlias(hit: NameHit): boolean {
  return foldId(hit.name) !== foldId(hit.title)
}

function round(score: number): number {
  return Number(score.toFixed(4))
}
