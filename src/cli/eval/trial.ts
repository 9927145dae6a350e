import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchMode } from '../../app/eval/ask.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import type { LoadedSettings } from '../../config/load.ts'
import { type Invocation, withCore } from '../session.ts'
import { PATIENCE } from '../tools/findable.ts'
import type { Side } from './sides.ts'

/** What one run of `roux eval` does. */
export interface Trial {
  readonly invocation: Invocation
  readonly sides: readonly Side[]
  /** Queries of a kind that are made of a vault. */
  readonly count: number
  readonly seed: number
  readonly scratch: Scratch
  /** Aborted when the user has seen enough. */
  readonly signal: AbortSignal
  /** The settings with these as well, later ones first. */
  load(assignments: readonly string[]): Promise<LoadedSettings>
}

/** Folders that are gone afterwards, outside of any vault. */
export class Scratch {
  #root: string | undefined
  #count = 0

  folder(): string {
    this.#root ??= mkdtempSync(join(tmpdir(), 'roux-eval-'))
    const folder = join(this.#root, String(this.#count++))
    mkdirSync(folder)
    return folder
  }

  remove(): void {
    if (this.#root !== undefined) rmSync(this.#root, { recursive: true, force: true })
  }
}

export interface FindableCore {
  readonly core: GraphCore
  /** How it can be asked: by meaning only with an embedder. */
  readonly modes: readonly SearchMode[]
  /** The id of the embedder whose vectors there are. */
  readonly embedder: string | null
}

/** Opens a vault, and waits until all of it can be found by words and by meaning, for however long. */
export async function withFindable<T>(
  { invocation, signal }: Trial,
  loaded: LoadedSettings,
  use: (findable: FindableCore) => Promise<T>,
): Promise<T> {
  return await withCore({ ...invocation, loud: true, signal }, loaded, async (core) => {
    await core.indexing.findable('words', PATIENCE, signal)
    if (core.embedding !== undefined) await core.indexing.findable('meaning', PATIENCE, signal)
    const { message } = core.indexing.status().search ?? {}
    if (message !== undefined) invocation.printer.warn(message)
    const states = core.embedding === undefined ? [] : await core.store.read((snapshot) => snapshot.vectorStates())
    const modes: readonly SearchMode[] = core.embedding === undefined ? ['keyword'] : ['keyword', 'semantic', 'hybrid']
    return await use({ core, modes, embedder: states[0]?.embedder ?? null })
  })
}
