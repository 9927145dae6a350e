import { invalid, RouxError } from '../core/errors.ts'
import { isWithin } from '../core/paths.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'

export interface NameProblem {
  readonly reason: string
  readonly suggestion: string
}

/** The only hidden folder that may be written to. */
export const TRASH = '.trash'

export function inTrash(path: string): boolean {
  return isWithin(path, TRASH)
}

/**
 * Checks that a path is unambiguous and inside the vault.
 * @throws RouxError `INVALID_PARAMS`, or `PERMISSION_DENIED` for a path that is hidden or outside the vault
 */
export function requireInside(path: string): void {
  if (typeof path !== 'string' || path === '')
    throw invalid('A path must not be empty.', 'Specify a path such as "folder/note.md".')
  if (path.includes('\0')) throw invalid(`${quote(path)} contains a NUL character.`, 'Remove it.')
  if (path.includes('\\')) throw invalid(`${quote(path)} contains a backslash.`, 'Separate folders with "/".')
  if (/^(?:\/|[a-z]:(?:\/|$))/i.test(path))
    throw denied(`${quote(path)} is an absolute path.`, "Specify a path relative to the vault's root.")
  const names = path.split('/')
  if (names.includes('..')) throw denied(`${quote(path)} contains "..".`, "Specify a path relative to the vault's root.")
  if (names.some((name) => name === '' || name === '.')) {
    throw invalid(`${quote(path)} contains an empty name or ".".`, 'Separate names with a single "/", with none at either end.')
  }
  const hidden = names.find((name, i) => name.startsWith('.') && !(i === 0 && name === TRASH))
  if (hidden !== undefined) {
    throw denied(
      `${quote(path)} is in or is ${quote(hidden)}: names that start with a dot cannot be written.`,
      'Use another name.',
    )
  }
}

// Names reserved by Windows (Microsoft, "Naming Files, Paths, and Namespaces"), with any extension. Superscript digits count,
// too.
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\s*(?:\.|$))/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters.
const FORBIDDEN = /[<>:"|?*\\/\x00-\x1f\x7f]/u
const LONE_SURROGATE = /\p{Surrogate}/u
/** These invisible characters change the direction of text, and can show `dm.exe` as `exe.md`. */
const OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/u
// Obsidian rejects these characters in note names, because links cannot contain them.
const UNLINKABLE = /[#^[\]]/u
/** The maximum length of a name on ext4. APFS and NTFS allow 255 code units, which is at least as much. */
export const MAX_BYTES = 255

/** Checks a name against the rules of Windows, Obsidian and common file systems. A valid name gives `undefined`. */
export function nameProblem(name: string): NameProblem | undefined {
  const reason = reasonAgainst(name)
  if (reason === undefined) return undefined
  // A shortened suggestion may end in `.md`, so it must also follow the rules for notes.
  const suggestion = suggest(name)
  return { reason, suggestion: reasonAgainst(suggestion) === undefined ? suggestion : suggest(suggestion) }
}

/** Checks that a name can be used. @throws RouxError `INVALID_PARAMS` with a better name */
export function requireUsable(name: string): void {
  const problem = nameProblem(name)
  if (problem === undefined) return
  throw invalid(`The name ${quote(name)} cannot be used: ${problem.reason}.`, `Use ${quote(problem.suggestion)}.`)
}

function reasonAgainst(name: string): string | undefined {
  if (LONE_SURROGATE.test(name)) return 'it is not valid Unicode'
  if (OVERRIDE.test(name)) return 'it has an invisible character that changes the direction of text'
  const forbidden = FORBIDDEN.exec(name)?.[0]
  if (forbidden !== undefined) return `Windows does not allow ${JSON.stringify(forbidden)} in names`
  const unlinkable = isNote(name) ? UNLINKABLE.exec(name)?.[0] : undefined
  if (unlinkable !== undefined) return `links cannot contain "${unlinkable}"`
  if (/[. ]$/.test(name)) return 'Windows removes dots and spaces at the end of a name'
  if (isNote(name) && /[. ]\.[^.]*$/.test(name)) return 'it has a dot or a space before the extension'
  if (RESERVED.test(name)) return 'Windows reserves this name for a device'
  if (Buffer.byteLength(name) > MAX_BYTES) return `it is longer than ${MAX_BYTES} bytes`
  return undefined
}

function suggest(name: string): string {
  const dot = isNote(name) ? name.lastIndexOf('.') : name.length
  const extension = name.slice(dot)
  const valid = name
    .slice(0, dot)
    .replace(new RegExp(LONE_SURROGATE, 'gu'), '-')
    .replace(new RegExp(OVERRIDE, 'gu'), '')
    .replace(new RegExp(FORBIDDEN, 'gu'), '-')
    .replace(isNote(name) ? new RegExp(UNLINKABLE, 'gu') : /(?!)/, '-')
  const stem = trimEndOf(valid, '. ')
  const safe = RESERVED.test(stem) ? stem.replace(RESERVED, '$&_') : stem
  return shorten(safe === '' ? 'untitled' : safe, MAX_BYTES - Buffer.byteLength(extension)) + extension
}

function shorten(text: string, bytes: number): string {
  let length = 0
  let result = ''
  for (const char of text) {
    length += Buffer.byteLength(char)
    if (length > bytes) break
    result += char
  }
  return trimEndOf(result, '. ')
}

function isNote(name: string): boolean {
  return /\.(?:md|canvas)$/i.test(name)
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}…` : text)
}

function denied(message: string, hint: string): RouxError {
  return new RouxError('PERMISSION_DENIED', message, { hint })
}
