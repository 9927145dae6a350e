import type { NameHit } from '../../core/store.ts'

/** A file's name is a name only where no file has it as title or alias. */
export function ownNames(hits: readonly NameHit[]): readonly NameHit[] {
  const own = hits.filter((hit) => hit.of !== 'file')
  return own.length > 0 ? own : hits
}
