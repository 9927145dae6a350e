import { foldTag } from '../../core/text/fold.ts'
import { cutData } from '../../core/text/inline-data.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { contentResponse, MAX_LINKS, type NodeResponse } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { CONTENT_LIMITS, truncate } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { requireText } from './texts.ts'

export interface RandomNodeArguments {
  /** Chooses only from notes with one of these tags. If empty, from all notes. */
  readonly tags?: readonly string[] | undefined
  /** A number with 0 ≤ seed < 1. The same seed chooses the same note of an unchanged vault. */
  readonly seed?: number | undefined
}

/** Returns a random note, or `null` if there is none. */
export function randomNode(
  core: GraphCore,
  { tags = [], seed = Math.random() }: RandomNodeArguments,
  call: Call = {},
): Promise<Answer<NodeResponse | null>> {
  return answer(core, call, async (snapshot) => {
    const scope = tags.length === 0 ? {} : { tags: { names: tags.map(foldTag), mode: 'any' as const } }
    const id = await snapshot.sample(scope, seed)
    if (id === undefined) return { value: null, warnings: await scopeWarnings(snapshot, { tags }, call) }
    const source = await requireText({ core, snapshot, call }, id)
    const [node] = await snapshot.nodes([id], { links: MAX_LINKS })
    if (node === undefined || source === undefined) return plain(null)
    const body = source.text.slice(source.bodyStart)
    return plain(contentResponse(node, truncate(cutData(body)?.text ?? body, CONTENT_LIMITS.single).text))
  })
}
