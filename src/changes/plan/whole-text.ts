import { hash as digest } from 'node:crypto'
import { RouxError } from '../../core/errors.ts'
import type { Flavor } from '../../core/note.ts'
import type { CreateNote, Operation, UpdateNote, WrittenText } from '../../core/operations.ts'
import { MARKER, readHash } from '../../core/text/partial-reading.ts'
import { bodyStartOf } from '../../markdown/frontmatter/frontmatter.ts'
import { outlineOf } from '../../markdown/outline.ts'
import { quote } from '../path-rules.ts'
import { type Draft, decode } from './draft.ts'
import { isTrash } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'

/** Rejects text that ends with the marker of a truncated answer. */
export function requireUncut(operation: CreateNote | UpdateNote): void {
  const texts =
    operation.kind === 'create'
      ? { content: operation.content }
      : { append: operation.append, prepend: operation.prepend, 'replace_text.replace': operation.replaceText?.replace }
  for (const [name, text = ''] of Object.entries(texts)) if (endsInMarker(text)) throw cutTextError(name, 'ends')
  for (const [key, value] of Object.entries(operation.properties ?? {})) {
    if (textsIn(value).some(endsInMarker)) throw cutTextError(`properties.${key}`, 'ends')
  }
}

export function requireWhole(draft: Draft, operation: UpdateNote): void {
  const { content, section, replaceAll = false } = operation
  if (content === undefined) return
  const body = bodyOf(draft)
  // A complete note may happen to end with the marker.
  const isOwnEnd = section === undefined && knowsAll(operation) && endsInMarker(body)
  if (endsInMarker(content) && !isOwnEnd) throw cutTextError('content', 'ends')
  if (countMarkers(content) > countMarkers(body)) throw cutTextError('content', 'goes on')
  if (section !== undefined || replaceAll || operation.expectedHash === undefined || knowsAll(operation)) return
  throw new RouxError(
    'EDIT_MISMATCH',
    `${quote(draft.path)} was only partly read, according to its hash, so content would also replace text that you have not read. Nothing was written.`,
    {
      hint: 'Change a part with section, append, prepend or replace_text, or set replace_all to drop everything that is not in content.',
    },
  )
}

export function knowsAll({ expectedHash }: UpdateNote): boolean {
  return expectedHash !== undefined && !readHash(expectedHash).isPartial
}

/** Returns true if the caller wrote the whole body, or changed a part after reading all of it. */
function knowsResult(operation: Operation, { relinked }: Draft): boolean {
  // The caller has not seen the links that were rewritten.
  if (relinked.length > 0) return false
  if (operation.kind !== 'update') return operation.kind === 'create'
  return (operation.content !== undefined && operation.section === undefined) || knowsAll(operation)
}

function bodyOf({ text }: Draft): string {
  return text.slice(bodyStartOf(text))
}

/** Counts the lines that an edit removes, regardless of their order. */
export function countLostLines(before: string, after: string): number {
  const oldCounts = new Map<string, number>()
  for (const line of linesOf(after)) oldCounts.set(line, (oldCounts.get(line) ?? 0) + 1)
  let lostCount = 0
  for (const line of linesOf(before)) {
    const count = oldCounts.get(line) ?? 0
    if (count === 0) lostCount++
    else oldCounts.set(line, count - 1)
  }
  return lostCount
}

/** A caller that replaces a section may not have read its subsections. */
export function losesHeadings(texts: readonly [before: string, after: string], flavor: Flavor): boolean {
  const [before, after] = texts.map((text) =>
    outlineOf(text, flavor).headings.map((heading) => `${heading.level} ${heading.text}\n`),
  )
  return countLostLines(before?.join('') ?? '', after?.join('') ?? '') > 0
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function endsInMarker(text: string): boolean {
  return text.trimEnd().endsWith(MARKER)
}

function countMarkers(text: string): number {
  return text.split(MARKER).length - 1
}

/** Collects all strings without recursion, because deep nesting could overflow the stack. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = []
  for (let level: readonly unknown[] = [value]; level.length > 0; ) {
    for (const item of level) if (typeof item === 'string') texts.push(item)
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return texts
}

function cutTextError(name: string, where: 'ends' | 'goes on'): RouxError {
  const place = where === 'ends' ? 'ends with' : 'contains'
  return new RouxError(
    'EDIT_MISMATCH',
    `${name} ${place} ${JSON.stringify(MARKER)}, which marks a truncated answer: the text after it would be lost. Nothing was written.`,
    {
      hint: 'Continue with get_node and offset = next_offset, or change only a part: section, append, replace_text. These accept text that contains the marker in the middle.',
    },
  )
}

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

function changedStretch(before: string, after: string): WrittenText['changed'] {
  const shared = Math.min(before.length, after.length)
  let start = 0
  while (start < shared && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let tail = 0
  while (tail < shared - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail))
    tail++
  return { start, end: after.length - tail }
}
