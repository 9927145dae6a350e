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

const MAX_TITLE_LENGTH = 200

const MAX_TEXT_BYTES = 1 << 20

/** Maximum number of characters in a path, heading or tag. No file system accepts more. */
const MAX_NAME_LENGTH = 4096

const MAX_PROPERTY_DEPTH = 32

/**
 * Checks what schemas cannot express. Attachments are left to the planner.
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

function namesIn(operation: Operation): readonly (readonly [name: string, value: string])[] {
  const names = { ...operation } as Readonly<Record<string, unknown>>
  const all = ['id', 'to', 'tag', 'path', 'folder', 'filename', 'heading', 'section', 'add', 'remove', 'tags']
  return all.flatMap((name) =>
    [names[name]].flat().flatMap((value) => (typeof value === 'string' ? [[name, value] as const] : [])),
  )
}

/** These arguments must not be empty. All others are left to the planner. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['id', 'to', 'tag', 'path', 'filename', 'heading', 'section'])

function checkName(name: string, value: string): void {
  // An empty `folder` means the vault's root.
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

/** Checks the nesting depth without recursion, because deep input could overflow the stack. */
function checkDepth(properties: unknown): void {
  let level: readonly unknown[] = [properties]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_PROPERTY_DEPTH) throw invalid(`properties are nested deeper than ${MAX_PROPERTY_DEPTH} levels.`)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  }
}

export interface NamedOperations {
  readonly operations: readonly Operation[]
  readonly notes: readonly string[]
  /** The names of notes that do not exist yet. Earlier operations may create them. */
  readonly unknown: readonly string[]
  readonly ids: ReadonlyMap<string, string>
}

/** Replaces titles, aliases and file names with ids. @throws RouxError `AMBIGUOUS_NAME` */
export async function nameNotes(core: GraphCore, written: readonly Operation[], call: Call): Promise<NamedOperations> {
  const operations = written.map(withTrimmedNames)
  try {
    const { value } = await answer(core, call, async (snapshot) => plain(await resolveNames(snapshot, core, operations)))
    return value
  } catch (error) {
    // Writing uses its own index, so it works while the other one is rebuilt.
    if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE')
      return { operations, notes: [], unknown: [], ids: NO_IDS }
    throw error
  }
}

/** These arguments are trimmed, because models sometimes add line breaks to them. */
const TRIMMED = ['to', 'path', 'folder', 'filename'] as const

/** Ids of existing notes may end in white space, so they are not trimmed. */
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

function noteOf(operation: Operation): string {
  switch (operation.kind) {
    case 'create':
    case 'restore':
    case 'renameTag':
    case 'createFolder':
      return ''
    default:
      return operation.id.endsWith('/') ? '' : operation.id
  }
}

function takesFolder(operation: Operation): boolean {
  return operation.kind === 'move' || operation.kind === 'addAttachment'
}

/**
 * Returns true if an earlier operation may have created the note. The index does not contain the results of earlier operations.
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

export function inVault(error: unknown, { name }: Pick<GraphCore, 'name'>): unknown {
  if (!(error instanceof RouxError) || name === undefined || error.candidates === undefined) return error
  const { code, message, hint, isTransient } = error
  const candidates = error.candidates.map((each) => {
    if (typeof each === 'string') return LISTING_FILES.has(code) ? toNodeId(each, name) : each
    if (!isRecord(each)) return each
    if (typeof each.id === 'string') return { ...each, id: toNodeId(each.id, name) }
    // The `path` of a missing section contains headings, not an id.
    return typeof each.path === 'string' && code !== 'SECTION_NOT_FOUND' ? { ...each, path: toNodeId(each.path, name) } : each
  })
  return new RouxError(code, message, { hint, candidates, isTransient, cause: error })
}

const LISTING_FILES: ReadonlySet<ErrorCode> = new Set(['NODE_EXISTS', 'LINK_INTEGRITY', 'AMBIGUOUS_NAME'])

/** Adds similar ids to `NODE_NOT_FOUND`. */
export async function withNearest(core: GraphCore, cause: unknown, { unknown, ids }: NamedOperations): Promise<unknown> {
  const error = inVault(cause instanceof RouxError ? asWritten(cause, ids) : cause, core)
  if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || error.candidates !== undefined) return error
  const name = unknown.find((unknownName) => error.message.includes(JSON.stringify(unknownName)))
  if (name === undefined) return error
  const { hint, candidates } = await core.store.read((snapshot) => unknownNodeError(snapshot, name))
  return new RouxError(error.code, error.message, { hint, candidates, cause: error })
}

/** Restores the caller's names in the error. Otherwise, a caller without read access could learn the id of a title. */
function asWritten(error: RouxError, ids: ReadonlyMap<string, string>): RouxError {
  const message = [...ids].reduce((text, [name, id]) => text.replaceAll(JSON.stringify(id), quoted(name)), error.message)
  if (message === error.message) return error
  const { code, hint, candidates } = error
  return new RouxError(code, message, { hint, candidates, cause: error })
}
