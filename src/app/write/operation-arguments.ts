import { invalid, RouxError } from '../../core/errors.ts'
import { foldId, withoutVault } from '../../core/ids.ts'
import type { Operation } from '../../core/operations.ts'
import { fileStemOf } from '../../core/paths.ts'
import type { Snapshot } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore } from '../graph-core.ts'
import { ambiguousName, lookUpKinds, nodesNamed, unknownNodeError } from '../names/known-node.ts'
import { isFolder } from '../scope.ts'

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
    hint: 'Shorten it; the rest can go into the content.',
  })
}

function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text = ''] of Object.entries(texts)) {
    const size = Buffer.byteLength(text)
    if (size <= LARGEST_TEXT) continue
    throw new RouxError('TOO_LARGE', `${name} has ${size} bytes; ${LARGEST_TEXT} are allowed.`, {
      hint: 'Split it into several notes.',
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
  return invalid(`mode ${mode} needs a section.`, 'To add to the whole note, use append or prepend.')
}

/** Operations whose notes are given by their paths. */
export interface NamedOperations {
  readonly operations: readonly Operation[]
  /** Sentences: which names were taken for which notes. */
  readonly notes: readonly string[]
  /** Arguments that are neither an id nor a name of a note: earlier operations may make them. */
  readonly unknown: readonly string[]
  /** The ids that took the place of names. */
  readonly ids: ReadonlyMap<string, string>
}

/**
 * Finds the notes that operations name by a title, alias or file name; ids stay as they are.
 * @throws RouxError `AMBIGUOUS_NAME` where several notes have a name
 */
export async function nameNotes(core: GraphCore, operations: readonly Operation[], call: Call): Promise<NamedOperations> {
  try {
    const { value } = await answer(core, call, async (snapshot) => plain(await namedIn(snapshot, core, operations)))
    return value
  } catch (error) {
    // Writing works on an index of its own: it can go on while this one is built again.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE')
      return { operations, notes: [], unknown: [], ids: NO_IDS }
    throw error
  }
}

async function namedIn(snapshot: Snapshot, core: GraphCore, operations: readonly Operation[]): Promise<NamedOperations> {
  const given = operations.map((operation, at) => (comesBefore(operations.slice(0, at), operation) ? '' : noteOf(operation)))
  const known = await lookUpKinds(snapshot, core, given)
  const others: string[] = []
  for (const [at, written] of given.entries()) {
    if (written === '' || (known[at] !== undefined && known[at]?.kind !== 'missing')) continue
    if (takesFolder(operations[at]) && (await isFolder(snapshot, withoutVault(written, core.name)))) continue
    others.push(written)
  }
  if (others.length === 0) return { operations, notes: [], unknown: [], ids: NO_IDS }
  const names = [...new Set(others)]
  const hits = await nodesNamed(snapshot, names)
  const ids = new Map<string, string>()
  for (const [at, name] of names.entries()) {
    const [only, ...more] = hits[at] ?? []
    if (only === undefined) continue
    if (more.length > 0) throw ambiguousName(name, hits[at] ?? [])
    ids.set(name, only.id)
  }
  return {
    operations: operations.map((operation, at) => {
      const id = others.includes(given[at] ?? '') ? ids.get(given[at] ?? '') : undefined
      return id === undefined || !('id' in operation) ? operation : { ...operation, id: withoutVault(id, core.name) }
    }),
    notes: [...ids].map(([name, id]) => `${quoted(name)} is the note ${quoted(id)}.`),
    unknown: names.filter((name) => !ids.has(name)),
    ids: new Map([...ids].map(([name, id]) => [name, withoutVault(id, core.name)])),
  }
}

const NO_IDS: ReadonlyMap<string, string> = new Map()

/** The note that an operation works on, as its caller wrote it; empty where it works on none that must be there. */
function noteOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
    case 'restore':
    case 'renameTag':
    case 'createFolder':
      return ''
    default:
      // With `/` at its end it is a folder.
      return operation.id.endsWith('/') ? '' : operation.id.trim()
  }
}

function takesFolder(operation: Operation | undefined): boolean {
  return operation?.kind === 'move' || operation?.kind === 'addAttachment'
}

/** True if an argument may be a file that an operation before makes or renames; the index does not know it yet. */
function comesBefore(earlier: readonly Operation[], operation: Operation): boolean {
  const stem = stemOf(noteOf(operation))
  return earlier.some((one) => newNamesOf(one).some((name) => stemOf(name) === stem))
}

function newNamesOf(operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'create':
    case 'restore':
      return [operation.id]
    case 'move':
      return [operation.to, operation.id]
    case 'update':
      return operation.title === undefined ? [] : [operation.title, operation.id]
    case 'clone':
      return [operation.id]
    case 'addAttachment':
      return [operation.filename]
    default:
      return []
  }
}

function stemOf(path: string): string {
  return fileStemOf(foldId(path.trim()).replace(/\/$/, ''))
}

/** The error of an operation on a note that is not there, with the nearest ids. */
export async function withNearest(core: GraphCore, thrown: unknown, { unknown, ids }: NamedOperations): Promise<unknown> {
  const error = thrown instanceof RouxError ? asWritten(thrown, ids) : thrown
  if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || error.candidates !== undefined) return error
  const name = unknown.find((one) => error.message.includes(JSON.stringify(one)))
  if (name === undefined) return error
  const { hint, candidates } = await core.store.read((snapshot) => unknownNodeError(snapshot, name))
  return new RouxError(error.code, error.message, { hint, candidates, cause: error })
}

/** The error with names as the caller wrote them. A caller that may not read notes must not learn an id from a title. */
function asWritten(error: RouxError, ids: ReadonlyMap<string, string>): RouxError {
  const message = [...ids].reduce((text, [name, id]) => text.replaceAll(JSON.stringify(id), quoted(name)), error.message)
  if (message === error.message) return error
  const { code, hint, candidates } = error
  return new RouxError(code, message, { hint, candidates, cause: error })
}
