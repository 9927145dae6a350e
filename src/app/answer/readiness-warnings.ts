import type { IndexStatus, SearchReadiness } from '../../core/indexing.ts'
import type { Insights } from '../../core/insight/insight.ts'
import type { Progress, SearchProgress } from '../../core/search.ts'
import type { GraphCore, Warning } from '../graph-core.ts'

export const INDEX_BUILDING_WARNING: Warning = {
  code: 'INDEX_BUILDING',
  message: 'Another process is still reading the vault, so this answer may be incomplete. Ask again in a moment.',
}

export const MIXED_STATES_WARNING: Warning = {
  code: 'STALE',
  message: 'The vault changed during this call, so parts of the answer may be out of date.',
}

export const CHANGES_UNREAD_WARNING: Warning = {
  code: 'STALE',
  message: 'Files have just changed and have not been read yet, so this answer may be out of date. Ask again in a moment.',
}

export function progressWarning(status: IndexStatus): Warning | undefined {
  const files = status.total > 0 ? ` (${status.done} of ${status.total} files)` : ''
  switch (status.phase) {
    case 'waiting':
    case 'building':
      return {
        code: 'INDEX_BUILDING',
        message: `The vault is still being read${files}, so this answer may be incomplete. Ask again in a moment.`,
      }
    case 'verifying':
      return {
        code: 'INDEX_BUILDING',
        message: `Changed files are still being read${files}, so this answer may change.`,
      }
    case 'restarting':
      return {
        code: 'STALE',
        message: `Indexing is being restarted (${status.message ?? 'unknown reason'}). This answer is from the last good state.`,
      }
    case 'failed':
      return {
        code: 'STALE',
        message: `Indexing stopped (${status.message ?? 'unknown reason'}). This answer is from the last good state.`,
      }
    default:
      return status.feed?.silent === undefined ? undefined : silence(status.feed.silent)
  }
}

function silence(seconds: number): Warning {
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  return {
    code: 'STALE',
    message: `The process that updates this vault's index has not reported for ${time}, so this answer may miss recent changes.`,
  }
}

export function searchWarnings(core: GraphCore, needs: SearchReadiness | undefined): readonly Warning[] {
  if (needs === undefined) return []
  const search: SearchProgress | undefined = core.indexing.status().search
  if (search?.isStopped === true) return [{ code: 'STALE', message: search.message ?? 'Search is not up to date.' }]
  const warnings: Warning[] = []
  if (!isDone(search?.words)) {
    const message = `The words in notes are still being indexed${amount(search?.words)}, so some notes may not be found yet.`
    warnings.push({ code: 'INDEX_BUILDING', message })
  }
  if (needs === 'words') return warnings
  if (search?.message !== undefined) {
    warnings.push({ code: 'FALLBACK', message: `Not all notes can be found by meaning: ${search.message}` })
  } else if (core.embedding !== undefined && !isDone(search?.vectors)) {
    const message = `Notes are still being embedded${amount(search?.vectors)}, so some are found by words only.`
    warnings.push({ code: 'EMBEDDING', message })
  }
  return warnings
}

function amount(progress: Progress | undefined): string {
  return progress === undefined || progress.total === 0 ? '' : ` (${progress.done} of ${progress.total})`
}

export function isDone(progress: Progress | undefined): boolean {
  return progress !== undefined && progress.done >= progress.total
}

export function firstInsightWarning(progress: ReturnType<NonNullable<Insights['progress']>>): Warning {
  const { done = 0, total = 0 } = progress ?? {}
  const read =
    done < total
      ? ` (${done} of ${total} notes have been read)`
      : total > 0
        ? ' (all notes have been read and are being compared)'
        : ''
  return {
    code: 'STALE',
    message: `The vault is being analyzed for the first time${read}. Ask again in a few seconds.`,
  }
}

export const OLDER_INSIGHT_WARNING: Warning = {
  code: 'STALE',
  message: 'The vault has changed since its last analysis. A new one is running; this answer is from the previous one.',
}
