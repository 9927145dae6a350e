import { RouxError } from '../../core/errors.ts'
import type { VaultPath } from '../../core/ids.ts'
import { Recent } from '../../core/recent.ts'
import type { NoteText, ReadText, Texts, VaultFiles } from '../../core/texts.ts'
import type { FileStat } from '../../core/vault.ts'
import { untilAborted } from '../../core/waiting.ts'
import type { FileReads } from './file-threads.ts'

/** The size of the cache in bytes. Many answers quote the same hub notes. */
const CACHE_BYTES = 8 << 20

export interface CachedTexts extends Texts {
  releaseMemory(): void
}

export function openTexts(fileReads: FileReads, cacheBytes = CACHE_BYTES): CachedTexts {
  const recent = new Recent<VaultPath, { readonly text: NoteText; readonly stat: FileStat }>(cacheBytes, ({ stat }) => stat.size)
  const read = async (path: VaultPath): Promise<NoteText | undefined> => {
    const cached = recent.peek(path)
    const result = await fileReads.read({ kind: 'text', path, ...(cached === undefined ? undefined : { known: cached.stat }) })
    if (result === 'same' && cached !== undefined) {
      recent.keep(path, cached)
      return cached.text
    }
    recent.drop(path)
    if (typeof result !== 'object' || !('text' in result)) return undefined
    if (result.stat !== undefined) recent.keep(path, { text: result.text, stat: result.stat })
    return result.text
  }
  const readOrUnread = async (path: VaultPath): Promise<ReadText> => {
    try {
      return await read(path)
    } catch (error) {
      if (error instanceof RouxError && error.code === 'TIMEOUT') return 'unread'
      throw error
    }
  }
  return {
    read: (versions, signal) => {
      const texts = Promise.all(versions.map(({ path }) => readOrUnread(path)))
      return untilAborted(texts, signal)
    },
    releaseMemory: () => recent.clear(),
  }
}

export function openFiles(fileReads: FileReads): VaultFiles {
  return {
    async read(path, range) {
      const result = await fileReads.read({ kind: 'bytes', path, ...range })
      return typeof result === 'object' && 'bytes' in result ? result : undefined
    },
  }
}
