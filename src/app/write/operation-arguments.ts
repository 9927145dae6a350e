import { type ErrorCode, invalid, RouxError } from '../../core/errors.ts'
import { foldId, toNodeId, withoutVault } from '../../core/ids.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Operation } from '../../core/operations.ts'
import { fileStemOf } from '../../core/paths.ts'
import type { Snapshot } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore } from '../graph-core.ts'
import { meaningsOf, onlyMeaning, resolvedMessage, unknownNodeError } from '../names/known-node.ts'
import { isFolder } from '../scope.ts'

/** Maximum number of characters in a note's title. */
const MAX_TITLE_LENGTH = 200

/** Maximum size of the text in UTF-8 bytes. */
const MAX_TEXT_BYTES = 1 << 20

/** Maximum number of characters in a path, heading or tag. No file system accepts more. */
const MAX_NAME_LENGTH = 4096

/** Maximum depth of lists and mappings in a property. */
const MAX_PROPERTY_DEPTH = 32

/**
 * Checks what schemas cannot express and what does not depend on the vault. Attachments are checked by the planner.
 * @throws RouxError `INVALID_PARAMS`; `TOO_LARGE` for titles over 200 characters and content over 1 MB
 */
export function checkOperation(operation: Operation): void {
  for (const [name, value] of namesIn(operation)) checkName(name, value)
  if (operation.kind !== 'create' && operation.kind !== 'update') return
  const { title, content, properties } = operation
  checkTitle(title)
  checkTexts({ content })
  if (operation.kind === 'update') {
    const { append, prepend, replaceText, section, mode = 'replace' } = operation
    checkTexts({ append, prepend, 'replace_text.replace': replaceText?.replace })
    if (section === undefined && mode !== 'replace')
      throw invalid(`mode ${mode} requires a section.`, 'To add to the whole note, use append or prepend.')
  }
  checkDepth(properties)
}

/** Returns the short strings of an operation, each with the name of the argument. */
function namesIn(operation: Operation): readonly (readonly [name: string, value: string])[] {
  const names = { ...operation } as Readonly<Record<string, unknown>>
  const all = ['id', 'to', 'tag', 'path', 'folder', 'filename', 'heading', 'section', 'add', 'remove', 'tags']
  return all.flatMap((name) =>
    [names[name]].flat().flatMap((value) => (typeof value === 'string' ? [[name, value] as const] : [])),
  )
}

/** Arguments that must not be empty. The planner checks the others. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['id', 'to', 'tag', 'path', 'filename', 'heading', 'section'])

function checkName(name: string, value: string): void {
  // `folder` may be empty: attachments can be added to the vault's root.
  if (NEVER_EMPTY.has(name) && value.trim() === '') throw invalid(`${name} is empty.`)
  if (value.length <= MAX_NAME_LENGTH) return
  throw invalid(`${name} has ${value.length} characters; the limit is ${MAX_NAME_LENGTH}: ${quoted(value)}.`)
}

function checkTitle(title: string | undefined): void {
  if (title === undefined || title.length <= MAX_TITLE_LENGTH) return
  throw new RouxError('TOO_LARGE', `title has ${title.length} characters; the limit is ${MAX_TITLE_LENGTH}.`, {
    hint: 'Shorten it; the rest can go into the content.',
  })
}

function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text = ''] of Object.entries(texts)) {
    const size = Buffer.byteLength(text)
    if (size <= MAX_TEXT_BYTES) continue
    throw new RouxError('TOO_LARGE', `${name} has ${size} bytes; the limit is ${MAX_TEXT_BYTES}.`, {
      hint: 'Split it into several notes.',
    })
  }
}

/** Checks the depth level by level. The input may be nested too deeply for recursion. */
function checkDepth(properties: unknown): void {
  let level: readonly unknown[] = [properties]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_PROPERTY_DEPTH) throw invalid(`properties are nested deeper than ${MAX_PROPERTY_DEPTH} levels.`)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
}

export interface NamedOperations {
  readonly operations: readonly Operation[]
  /** Messages about names that were found to mean notes. */
  readonly notes: readonly string[]
  /** Names of no existing note. Earlier operations may create them. */
  readonly unknown: readonly string[]
  /** Ids by the names that they replace. */
  readonly ids: ReadonlyMap<string, string>
}

/**
 * Replaces titles, aliases and file names in operations with ids. Surrounding white space is dropped from ids.
 * @throws RouxError `AMBIGUOUS_NAME` if several notes have a name
 */
export async function nameNotes(core: GraphCore, written: readonly Operation[], call: Call): Promise<NamedOperations> {
  const operations = written.map(withTrimmedNames)
  try {
    const { value } = await answer(core, call, async (snapshot) => plain(await resolveNames(snapshot, core, operations)))
    return value
  } catch (error) {
    // Writing has an index of its own, so it can go on while the index for reading is rebuilt.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE')
      return { operations, notes: [], unknown: [], ids: NO_IDS }
    throw error
  }
}

/** Arguments to which models add line breaks by mistake. New names cannot end in white space. */
const TRIMMED = ['to', 'path', 'folder', 'filename'] as const

/** Drops white space at the end of names. Ids of existing notes are looked up both with and without it. */
function withTrimmedNames(operation: Operation): Operation {
  const names = operation as Partial<Record<(typeof TRIMMED)[number] | 'id', string>>
  const keys = noteOf(operation) === '' ? (['id', ...TRIMMED] as const) : TRIMMED
  const trimmed = keys.flatMap((name) => (names[name] === undefined ? [] : [[name, names[name].trimEnd()] as const]))
  return { ...operation, ...Object.fromEntries(trimmed) }
}

async function resolveNames(snapshot: Snapshot, core: GraphCore, operations: readonly Operation[]): Promise<NamedOperations> {
  const namesInUse = operations.map((operation, at) => (comesBefore(operations.slice(0, at), operation) ? '' : noteOf(operation)))
  const uniqueNames = [...new Set(namesInUse.filter((name) => name !== ''))]
  const namedMeanings = await meaningsOf(snapshot, core, uniqueNames)
  const meanings = new Map(uniqueNames.map((name, at) => [name, namedMeanings[at]]))
  const ids = new Map<string, string>()
  const unknown = new Set<string>()
  const resolved: Operation[] = []
  for (const [at, operation] of operations.entries()) {
    resolved.push(operation)
    const name = namesInUse[at] ?? ''
    const meaning = meanings.get(name)
    if (meaning === undefined || !('id' in operation) || (meaning.isId && name === name.trim())) continue
    if (takesFolder(operation) && (await isFolder(snapshot, withoutVault(name, core.name)))) continue
    const id = onlyMeaning(name, meaning)
    if (id === undefined) {
      unknown.add(name.trim())
      resolved[at] = { ...operation, id: name.trim() }
      continue
    }
    if (!meaning.isId) ids.set(name, id)
    resolved[at] = { ...operation, id: withoutVault(id, core.name) }
  }
  return {
    operations: resolved,
    notes: [...ids].map(([name, id]) => resolvedMessage(name, id)),
    unknown: [...unknown],
    ids: new Map([...ids].map(([name, id]) => [name, withoutVault(id, core.name)])),
  }
}

const NO_IDS: ReadonlyMap<string, string> = new Map()

/** Returns the note that an operation is for, as the caller named it. Empty if the operation needs no existing note. */
function noteOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
    case 'restore':
    case 'renameTag':
    case 'createFolder':
      return ''
    default:
      // With a `/` at the end, this is a folder.
      return operation.id.endsWith('/') ? '' : operation.id
  }
}

function takesFolder(operation: Operation): boolean {
  return operation.kind === 'move' || operation.kind === 'addAttachment'
}

/**
 * Checks whether an earlier operation may create or rename the file that an operation names. The index does not contain it under
 * that name yet.
 */
function comesBefore(earlier: readonly Operation[], operation: Operation): boolean {
  const stem = stemOf(noteOf(operation))
  return earlier.some((before) => newNamesOf(before).some((name) => stemOf(name) === stem))
}

function newNamesOf(operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'create':
    case 'restore':
    case 'clone':
      return [operation.id]
    case 'move':
      return [operation.to, operation.id]
    case 'update':
      return operation.title === undefined ? [] : [operation.title, operation.id]
    case 'addAttachment':
      return [operation.filename]
    default:
      return []
  }
}

function stemOf(path: string): string {
  return fileStemOf(foldId(path).replace(/\/$/, ''))
}

/** Adds the vault's name to the files and changes that are listed in an error of the writing port. */
export function inVault(error: unknown, { name }: Pick<GraphCore, 'name'>): unknown {
  if (!(error instanceof RouxError) || name === undefined || error.candidates === undefined) return error
  const { code, message, hint, isTransient } = error
  const candidates = error.candidates.map((each) => {
    if (typeof each === 'string') return LISTING_FILES.has(code) ? toNodeId(each, name) : each
    if (!isRecord(each)) return each
    if (typeof each.id === 'string') return { ...each, id: toNodeId(each.id, name) }
    // For a missing section, `path` consists of headings.
    return typeof each.path === 'string' && code !== 'SECTION_NOT_FOUND' ? { ...each, path: toNodeId(each.path, name) } : each
  })
  return new RouxError(code, message, { hint, candidates, isTransient, cause: error })
}

/** Errors of the writing port that list ids as candidates. */
const LISTING_FILES: ReadonlySet<ErrorCode> = new Set(['NODE_EXISTS', 'LINK_INTEGRITY', 'AMBIGUOUS_NAME'])

/** Adds the nearest ids to the error about a note that does not exist. */
export async function withNearest(core: GraphCore, cause: unknown, { unknown, ids }: NamedOperations): Promise<unknown> {
  const error = inVault(cause instanceof RouxError ? asWritten(cause, ids) : cause, core)
  if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || error.candidates !== undefined) return error
  const name = unknown.find((unknownName) => error.message.includes(JSON.stringify(unknownName)))
  if (name === undefined) return error
  const { hint, candidates } = await core.store.read((snapshot) => unknownNodeError(snapshot, name))
  return new RouxError(error.code, error.message, { hint, candidates, cause: error })
}

/** Puts the caller's own names back into an error. A caller that may not read must not learn the id that belongs to a title. */
function asWritten(error: RouxError, ids: ReadonlyMap<string, string>): RouxError {
  const message = [...ids].reduce((text, [name, id]) => text.replaceAll(JSON.stringify(id), quoted(name)), error.message)
  if (message === error.message) return error
  const { code, hint, candidates } = error
  return new RouxError(code, message, { hint, candidates, cause: error })
}
