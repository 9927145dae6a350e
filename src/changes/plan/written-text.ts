import { hash as digest } from 'node:crypto'
import type { Operation, WrittenText } from '../../core/operations.ts'
import { bodyStartOf } from '../../markdown/frontmatter/frontmatter.ts'
import { type Draft, decode } from './draft.ts'
import { isTrash } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'
import { bodyOf, knowsResult } from './whole-text.ts'

/** The new text of a note after a single operation; `undefined` for several, for other files, and if it stays unchanged. */
export function writtenText(
  [operation, ...others]: readonly Operation[],
  [draft]: readonly (Draft | undefined)[],
  view: VaultView,
): WrittenText | undefined {
  if (operation === undefined || others.length > 0 || draft === undefined) return undefined
  if (!draft.isEdited || isTrash(draft.path) || view.kindOf(draft.path) !== 'note') return undefined
  const disk = draft.original === undefined ? '' : decode(draft.disk)
  return {
    hash: digest('sha256', draft.bytes, 'hex'),
    changed: changedStretch(disk.slice(bodyStartOf(disk)), bodyOf(draft)),
    isKnown: knowsResult(operation, draft),
  }
}

/** The range of `after` between the common beginning and end. */
function changedStretch(before: string, after: string): WrittenText['changed'] {
  const shared = Math.min(before.length, after.length)
  let start = 0
  while (start < shared && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let tail = 0
  while (tail < shared - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail))
    tail++
  return { start, end: after.length - tail }
}
