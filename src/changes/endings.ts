import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeState } from '../core/changes.ts'
import { attempt } from './record/database.ts'

export type Ending = Extract<ChangeState, 'done' | 'rolled_back'>

const ENDINGS: readonly Ending[] = ['done', 'rolled_back']

/**
 * How changes ended of which the record could not be told so. This process remembers it; others see an empty file, which a full disk has
 * nearly always room for. Only where both are lost what is on disk has to tell.
 */
export class Endings {
  readonly #folder: string
  readonly #known = new Map<string, Ending>()

  /** @param folder is there once a change was begun */
  constructor(folder: string) {
    this.#folder = folder
  }

  note(id: string, ending: Ending): void {
    this.#known.set(id, ending)
    attempt(() => closeSync(openSync(this.#path(id, ending), 'a', 0o600)))
  }

  find(id: string): Ending | undefined {
    return this.#known.get(id) ?? ENDINGS.find((ending) => existsSync(this.#path(id, ending)))
  }

  /** The changes of all vaults that have such a file. */
  noted(): readonly string[] {
    return namesIn(this.#folder).flatMap((name) =>
      ENDINGS.flatMap((ending) => (name.endsWith(`.${ending}`) ? name.slice(0, -ending.length - 1) : [])),
    )
  }

  /** The record knows it. */
  forget(id: string): void {
    this.#known.delete(id)
    for (const ending of ENDINGS) attempt(() => rmSync(this.#path(id, ending), { force: true }))
  }

  #path(id: string, ending: Ending): string {
    return join(this.#folder, `${id}.${ending}`)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
