import type { LinkReport, WriteResult, WrittenFile } from '../../core/operations.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { truncate } from '../answer/truncate.ts'
import { hunksOf, shownDiff } from './shown-text.ts'

/** What was done, or would be, for answers. */
export interface WriteFacts {
  /** The argument for `undo`; absent for a dry run and without a change. */
  readonly change_id?: string
  /** For a dry run: the argument for `apply_changes`. */
  readonly plan_id?: string
  /** Unified difference. */
  readonly diff?: string
  /** For several files: the number of files and of lines rewritten for links. */
  readonly counts?: Counts
  /** Absent where the answer's own note is the only file. */
  readonly files?: readonly FileFacts[]
  /** How much the lists leave out; absent when they leave out nothing. */
  readonly omitted?: Omitted
  /** Newly broken links, or could not be kept. */
  readonly dangling_links?: readonly LinkReport[]
}

export type Counts = { readonly [kind in WrittenFile['kind']]?: number } & { readonly relinked_lines?: number }

export interface Omitted {
  readonly ids?: number
  readonly files?: number
  /** Lines that were rewritten. The difference says itself how many lines more it has. */
  readonly lines?: number
  readonly dangling_links?: number
}

export interface FileFacts {
  readonly kind: WrittenFile['kind']
  /** The exact path; for a moved or deleted file, the former one. */
  readonly path: string
  /** Where it was moved to. */
  readonly to?: string
  /** Lines whose links were rewritten to keep their targets. */
  readonly relinked?: readonly RelinkedLine[]
}

export interface RelinkedLine {
  readonly line: number
  readonly before: string
  readonly after: string
}

/** Limits of each list and line shown to a model. */
const LIMITS = { files: 20, lines: 20, line: 160, dangling: 20 } as const
const NONE = { files: Infinity, lines: Infinity, line: Infinity, dangling: Infinity } as const

export interface ShownFacts {
  /** Whether to include the diff. */
  readonly diff?: boolean
  /** The file that the answer is about: where it is the only one, it is not listed. */
  readonly own?: string | undefined
}

/** A result for answers, shortened for a model unless the call wants everything. */
export function writeFacts(result: WriteResult, { whole = false }: Call, { diff = false, own }: ShownFacts = {}): WriteFacts {
  const limits = whole ? NONE : LIMITS
  const { changeId, planId, dangling, files: ranked } = result
  let room: number = limits.lines
  const files = ranked.slice(0, limits.files).map((file) => {
    const relinked = file.relinked.slice(0, room)
    room -= relinked.length
    return fileFacts(file, relinked, limits.line)
  })
  const lines = linesIn(ranked) - files.reduce((sum, file) => sum + (file.relinked?.length ?? 0), 0)
  const isListed =
    whole || own === undefined || ranked.some(({ kind, to, relinked }) => kind === 'moved' || to !== own || relinked.length > 0)
  const omitted = filled({
    files: ranked.length - files.length,
    lines,
    dangling_links: dangling.length - Math.min(dangling.length, limits.dangling),
  })
  return {
    ...(changeId === undefined ? {} : { change_id: changeId }),
    ...(planId === undefined ? {} : { plan_id: planId }),
    ...(diff ? { diff: whole ? result.diff : shownDiff(isListed ? result.diff : hunksOf(result.diff)) } : {}),
    ...(ranked.length < 2 ? {} : { counts: countsOf(ranked) }),
    ...(isListed ? { files } : {}),
    ...(omitted === undefined ? {} : { omitted }),
    ...(dangling.length === 0 ? {} : { dangling_links: dangling.slice(0, limits.dangling) }),
  }
}

/** The members that are not 0; `undefined` where none is. */
export function filled<T extends Readonly<Record<string, number>>>(counts: T): Partial<T> | undefined {
  const entries = Object.entries(counts).filter(([, count]) => count > 0)
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Partial<T>)
}

function countsOf(files: readonly WrittenFile[]): Counts {
  const counts: Record<string, number> = {}
  for (const { kind } of files) counts[kind] = (counts[kind] ?? 0) + 1
  return { ...counts, ...filled({ relinked_lines: linesIn(files) }) }
}

function linesIn(files: readonly WrittenFile[]): number {
  return files.reduce((sum, { relinked }) => sum + relinked.length, 0)
}

function fileFacts({ kind, from, to }: WrittenFile, relinked: WrittenFile['relinked'], limit: number): FileFacts {
  const lines = relinked.map(({ line, before, after }) => ({
    line,
    before: truncate(before, limit).text,
    after: truncate(after, limit).text,
  }))
  return {
    kind,
    path: from ?? to ?? '',
    ...(kind === 'moved' && to !== undefined ? { to } : {}),
    ...(lines.length === 0 ? {} : { relinked: lines }),
  }
}
