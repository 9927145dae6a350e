import { foldName } from '../core/fold.ts'
import type { TagCount } from '../core/store.ts'
import { answer, type Call, plain } from './answer-when-ready.ts'
import type { Answer, GraphCore } from './graph-core.ts'

/** Tags with the notes that carry them, nested tags counted into their parents; by count, then name. */
export function listTags(core: GraphCore, prefix: string | undefined, call: Call = {}): Promise<Answer<readonly TagCount[]>> {
  return answer(core, call, async (snapshot) => plain(await snapshot.tags(foldName((prefix ?? '').trim().replace(/^#/, '')))))
}
