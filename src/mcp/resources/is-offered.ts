import type { SwitchedOffBy } from '../definition/define-tool.ts'
import type { Source } from './define-resource.ts'

/** Whether a client may have what comes from there: a client that may not call the tool may not read the same in another way. */
export function isOffered({ source }: { readonly source: Source }, switchedOffBy: SwitchedOffBy): boolean {
  return switchedOffBy(source) === undefined
}
