import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeState } from '../core/changes.ts'
import { attempt } from './record/database.ts'

export type Ending = Extract<ChangeState, 'done' | 'rolled_back'>

const ENDINGS: readonly Ending[] = ['done', 'rolled_back']

/**
 * Outcomes that could not be written to the journal. This process keeps them in memory; others see an empty file, which
 * fits even on a full disk. If both are lost, the state of the files decides.
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
