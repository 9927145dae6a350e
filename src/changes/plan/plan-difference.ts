import { unifiedDiff } from '../difference.ts'
import type { ChangedText } from './workspace.ts'

/** Characters, the last line included. */
const MAX_LENGTH = 200_000
/** Milliseconds. Texts that differ in every line take a quarter of a second each. */
const TIME_FOR_ALL = 2000
/** Room for the line that counts what is missing. */
const MAX_LAST_LINE = 100

const encoder = new TextEncoder()

/**
 * The changes of all files as a unified diff in the style of `git diff`: a pure move by its paths, a deletion or binary
 * file by one line. At most 200,000 characters; files that do not fit, or take too long to compare, are counted in the
 * last line.
 */
export function differenceOf(texts: readonly ChangedText[]): string {
  const deadline = performance.now() + TIME_FOR_ALL
  const shown: string[] = []
  let room = MAX_LENGTH - MAX_LAST_LINE
  for (const text of texts) {
    if (performance.now() > deadline || room <= 0) break
    const part = partOf(text, room)
    if (part === undefined || part.length > room) continue
    room -= part.length
    shown.push(part)
  }
  const left = texts.length - shown.length
  if (left > 0) shown.push(`… ${left} changed ${left === 1 ? 'file is' : 'files are'} not shown: the difference is too long.\n`)
  return shown.join('')
}

/** One file's part; `undefined` when it is sure to be longer than `room`. */
function partOf({ from, to, before, after, isText, size }: ChangedText, room: number): string | undefined {
  if (to === undefined) return `Deleted: ${named(from ?? '')} goes to the trash\n`
  if (!isText && from === undefined) return `Binary file ${named(to)} added (${sizeText(size)})\n`
  const renamed = from === undefined || from === to ? '' : `rename from ${named(from)}\nrename to ${named(to)}\n`
  if (before === after && from !== undefined) return renamed
  // Every character that there is more or less of is shown.
  if (Math.abs(after.length - before.length) > room) return undefined
  const [old, now] = [from === undefined ? '/dev/null' : named(`a/${from}`), named(`b/${to}`)]
  const header = `${renamed}--- ${old}\n+++ ${now}\n`
  // Comparing with nothing needs no search, which many lines would be too long for.
  if (from === undefined) return header + allAdded(after)
  const patch = unifiedDiff(encoder.encode(before), encoder.encode(after), { path: to, from: '', to: '' })
  return header + (patch.startsWith('---') ? hunksOf(patch) : 'The versions differ too much to be compared\n')
}

function allAdded(text: string): string {
  if (text === '') return ''
  const lines = text.split('\n')
  const isWhole = lines.at(-1) === ''
  if (isWhole) lines.pop()
  const end = isWhole ? '' : '\\ No newline at end of file\n'
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`
}

/** Without the header, whose paths are ours to write. */
function hunksOf(patch: string): string {
  const start = patch.indexOf('\n@@ ')
  return start < 0 ? '' : patch.slice(start + 1)
}

/** A path on one line, whatever its characters; quoted as git does where it must be. */
function named(path: string): string {
  return /["\\\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path
}

/** `812 bytes`, `12.3 kB`, `1.2 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  // 1000.0 kB after rounding is a megabyte.
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
