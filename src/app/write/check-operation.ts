import { RouxError } from '../../core/errors.ts'
import type { Operation } from '../../core/operations.ts'
import { quoted } from '../answer/truncate.ts'

/** Characters of a note's title. */
const LONGEST_TITLE = 200
/** Bytes of a text, as UTF-8. */
const LARGEST_TEXT = 1 << 20
/** Characters of a path, a heading or a tag: longer than any file system takes. */
const LONGEST_NAME = 4096
/** Levels of lists and mappings in a property. */
const DEEPEST_PROPERTY = 32

/**
 * Checks what schemas cannot say and what does not depend on the vault; attachments are checked where they are planned.
 * @throws RouxError `INVALID_PARAMS`; `TOO_LARGE` for titles over 200 characters and texts over 1 MB
 */
export function checkOperation(operation: Operation): void {
  for (const [name, value] of namesIn(operation)) checkName(name, value)
  switch (operation.kind) {
    case 'create':
      checkTitle(operation.title)
      checkTexts({ content: operation.content })
      checkDepth(operation.properties)
      break
    case 'update':
      checkTitle(operation.title)
      checkTexts({
        content: operation.content,
        append: operation.append,
        prepend: operation.prepend,
        'replace_text.replace': operation.replaceText?.replace,
      })
      checkDepth(operation.properties)
      if (operation.section === undefined && (operation.mode ?? 'replace') !== 'replace') throw modeWithoutSection(operation.mode)
      break
    default:
  }
}

/** The short texts of an operation, and what its tool calls them. */
function namesIn(operation: Operation): readonly (readonly [name: string, value: string])[] {
  const names = { ...operation } as Readonly<Record<string, unknown>>
  const all = ['id', 'to', 'tag', 'path', 'folder', 'filename', 'heading', 'section', 'add', 'remove', 'tags']
  return all.flatMap((name) =>
    [names[name]].flat().flatMap((value) => (typeof value === 'string' ? [[name, value] as const] : [])),
  )
}

/** Arguments that must not be empty; the planner judges the others. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['id', 'to', 'tag', 'path', 'filename', 'heading', 'section'])

function checkName(name: string, value: string): void {
  // The vault itself is a folder that an attachment can be put into, but no file.
  if (NEVER_EMPTY.has(name) && value.trim() === '') throw invalid(`${name} is empty.`)
  if (value.length <= LONGEST_NAME) return
  throw invalid(`${name} has ${value.length} characters; ${LONGEST_NAME} are allowed: ${quoted(value)}.`)
}

function checkTitle(title: string | undefined): void {
  if (title === undefined || title.length <= LONGEST_TITLE) return
  throw new RouxError('TOO_LARGE', `title has ${title.length} characters; ${LONGEST_TITLE} are allowed.`, {
    hint: 'Make it shorter; what is left out may go into the content.',
  })
}

function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text = ''] of Object.entries(texts)) {
    const size = Buffer.byteLength(text)
    if (size <= LARGEST_TEXT) continue
    throw new RouxError('TOO_LARGE', `${name} has ${size} bytes; ${LARGEST_TEXT} are allowed.`, {
      hint: 'Make it several notes.',
    })
  }
}

/** Goes down level by level: what comes from outside may be nested deeper than the stack. */
function checkDepth(properties: unknown): void {
  let level: readonly unknown[] = [properties]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_PROPERTY) throw invalid(`properties are nested deeper than ${DEEPEST_PROPERTY} levels.`)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
}

function modeWithoutSection(mode: string | undefined): RouxError {
  return invalid(`mode ${mode} needs a section.`, 'To add to the whole note use append or prepend.')
}

function invalid(message: string, hint?: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, hint === undefined ? {} : { hint })
}
