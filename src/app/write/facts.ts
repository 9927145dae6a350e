import type { LinkReport, WriteResult, WrittenFile } from '../../core/operations.ts'
import type { Call } from '../answer-when-ready.ts'
import { truncate } from '../truncate.ts'

/** What was done, or would be, as answers tell it. */
export interface WriteFacts {
  /** What `undo` takes; absent of a dry run, and of what changed nothing. */
  readonly change_id?: string
  /** Of a dry run: what `apply_changes` takes to do it. */
  readonly plan_id?: string
  readonly files: readonly FileFacts[]
  /** How much `files` leaves out; absent when nothing is. */
  readonly omitted?: { readonly files: number; readonly lines: number }
  /** Links that lead nowhere now, or could not be kept. */
  readonly dangling_links?: readonly LinkReport[]
  /** Unified difference, of dry runs and of several operations. */
  readonly diff?: string
}

export interface FileFacts {
  readonly kind: WrittenFile['kind']
  /** As spelled on disk; of what was moved or deleted, where it was. */
  readonly path: string
  /** Where it was moved to. */
  readonly to?: string
  /** Lines that were rewritten so that links still lead where they led. */
  readonly relinked?: readonly RelinkedLine[]
}

export interface RelinkedLine {
  readonly line: number
  readonly before: string
  readonly after: string
}

/** What fits into a model's context beside everything else: some 10,000 tokens at the most. */
const LIMITS = { files: 100, lines: 100, line: 200, dangling: 50, diff: 20_000 } as const
const NONE = { files: Infinity, lines: Infinity, line: Infinity, dangling: Infinity, diff: Infinity } as const

/** A result as answers show it, cut to what fits unless the call wants all; `diff` where one is asked for. */
export function writeFacts(result: WriteResult, { whole = false }: Call, shown: { readonly diff?: boolean } = {}): WriteFacts {
  const limits = whole ? NONE : LIMITS
  const { changeId, planId, dangling, diff } = result
  // What was not only relinked comes first: it is what was asked for.
  const ranked = [...result.files].sort((a, b) => Number(isRelinkedOnly(a)) - Number(isRelinkedOnly(b)))
  let lines = limits.lines
  const files = ranked.slice(0, limits.files).map((file) => {
    const relinked = file.relinked.slice(0, lines)
    lines -= relinked.length
    return fileFacts(file, relinked, limits.line)
  })
  const omitted = {
    files: ranked.length - files.length,
    lines: linesIn(ranked) - files.reduce((sum, file) => sum + (file.relinked?.length ?? 0), 0),
  }
  return {
    ...(changeId === undefined ? {} : { change_id: changeId }),
    ...(planId === undefined ? {} : { plan_id: planId }),
    files,
    ...(omitted.files + omitted.lines === 0 ? {} : { omitted }),
    ...(dangling.length === 0 ? {} : { dangling_links: dangling.slice(0, limits.dangling) }),
    ...(shown.diff === true ? { diff: truncate(diff, limits.diff).text } : {}),
  }
}

function isRelinkedOnly({ kind, relinked }: WrittenFile): boolean {
  return kind === 'changed' && relinked.length > 0
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
