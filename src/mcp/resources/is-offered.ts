import type { SwitchedOffBy } from '../definition/define-tool.ts'
import type { Source } from './define-resource.ts'

/** Whether a client may read a resource: only if it may call the tool with the same data. */
export function isOffered({ source }: { readonly source: Source }, switchedOffBy: SwitchedOffBy): boolean {
  return switchedOffBy(source) === undefined
}
