import type { ChangeDirectory } from './change-directory.ts'

export const CHANGED = 'it was changed since, and is left as it is'

export interface Displaced {
  /** Where the bytes came from. */
  readonly path: string
  /** The hash of bytes that may be discarded, because the record or another name holds them. */
  readonly ours: string | undefined
  /** The hash of bytes at `path` that may be overwritten, for the same reason. */
  readonly over?: string
}

/**
 * Drops a temporary name that may still be there. Bytes that are not ours get back their place, or one beside it under a name that reads as
 * a conflict copy.
 * @returns why something was left as it is.
 */
export async function resolveDisplaced(
  place: ChangeDirectory,
  aside: string,
  { path, ours, over }: Displaced,
): Promise<string | undefined> {
  const hash = place.hash(aside)
  if (hash === undefined) return undefined
  if (hash === ours || place.isSame(aside, path)) {
    await place.unlink(aside)
    return undefined
  }
  const now = place.hash(path)
  if (now === undefined && place.stamp(path) === undefined) await place.renameToFree(aside, path)
  else if (over !== undefined && now === over) place.rename(aside, path)
  else return `another program wrote two other versions of it; one is left in ${await putBeside(place, aside, path)}`
  return CHANGED
}

async function putBeside(place: ChangeDirectory, aside: string, path: string): Promise<string> {
  const day = new Date().toISOString().slice(0, 10)
  const [, stem = path, extension = ''] = /^(.*[^/])(\.[^./]*)$/s.exec(path) ?? []
  for (let n = 1; ; n++) {
    const beside = `${stem} (conflicted copy ${day}${n === 1 ? '' : ` ${n}`})${extension}`
    if (place.stamp(beside) !== undefined) continue
    await place.renameToFree(aside, beside)
    return beside
  }
}
