import type { GraphCore } from '../../../src/app/graph-core.ts'
import type { ChangeSummary } from '../../../src/core/changes.ts'
import type { WriteRequest, WriteResult, Writing } from '../../../src/core/operations.ts'
import type { VaultFiles } from '../../../src/core/texts.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'

export interface FakeWriting extends Writing {
  /** All requests in order. */
  readonly requests: readonly WriteRequest[]
  readonly undone: readonly string[]
}

const RESULT: WriteResult = { changeId: 'c1', files: [], subjects: ['Home.md'], dangling: [], diff: '', notes: [] }

/** A `Writing` port that writes nothing and returns the given results. */
export function fakeWriting(
  result: Partial<WriteResult> = {},
  changes: readonly ChangeSummary[] = [],
  fails?: Error,
): FakeWriting {
  const requests: WriteRequest[] = []
  const undone: string[] = []
  const { changeId, ...planned } = { ...RESULT, ...result }
  return {
    requests,
    undone,
    async run(request) {
      requests.push(request)
      if (fails !== undefined) throw fails
      if (request.dryRun) return { ...planned, planId: 'p1' }
      return changeId === undefined ? planned : { ...planned, changeId }
    },
    async undo(id) {
      undone.push(id)
      if (fails !== undefined) throw fails
      return changeId === undefined ? planned : { ...planned, changeId }
    },
    async changes(limit) {
      return changes.slice(0, limit)
    },
  }
}

/** Serves these files by path. */
export function fakeFiles(files: Readonly<Record<string, Uint8Array>>): VaultFiles {
  return {
    async read(path, { offset, length }) {
      const bytes = files[path]
      return bytes === undefined ? undefined : { bytes: bytes.subarray(offset, offset + length), size: bytes.length }
    },
  }
}

/** A picture of one pixel. */
export const PNG: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
)

/** The garden as a writable core. */
export function writableCore(
  writing: Writing = fakeWriting(),
  files: VaultFiles = fakeFiles({ 'photo.png': PNG }),
): GraphCore & { readonly calls: string[] } {
  return { ...fakeCore(fakeStore(GARDEN)), writing, files }
}
