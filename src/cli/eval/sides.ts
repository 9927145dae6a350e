import type { LoadedSettings } from '../../config/load.ts'
import { UsageError } from '../host.ts'

/** One of two ways of setting things that are compared. */
export interface Side {
  /** As written: `search.weight=0.3`, several with spaces between, or `default`. */
  readonly label: string
  /** As `--set` takes them. */
  readonly assignments: readonly string[]
}

const AS_IT_IS: Side = { label: 'default', assignments: [] }
const KEY = String.raw`[a-z_]+(?:\.[a-z_]+)+=`

/** The sides of `--compare a,b`; without it the settings as they are. @throws UsageError */
export function readSides(written: string | undefined): readonly Side[] {
  if (written === undefined) return [AS_IT_IS]
  // A value may hold commas and spaces: they part something only before a key, or before `default`.
  const sides = written.split(new RegExp(`\\s*,\\s*(?=${KEY}|default\\s*(?:,|$))`)).map(toSide)
  if (sides.length === 2) return sides
  throw new UsageError(
    `--compare takes two settings; got "${written}".`,
    'For example: --compare search.weight=0.3,search.weight=0.5, or default,"embedder.kind=transformers embedder.model=<folder>"',
  )
}

function toSide(written: string): Side {
  const label = written.trim()
  if (label === AS_IT_IS.label) return AS_IT_IS
  return { label, assignments: label.split(new RegExp(`\\s+(?=${KEY})`)) }
}

/** Settings whose vectors, where they are others than those of `own`, go to a folder apart: the user's stay as they are. */
export function withOwnCache(loaded: LoadedSettings, own: LoadedSettings, folder: () => string): LoadedSettings {
  const isSame = JSON.stringify(loaded.settings.embedder) === JSON.stringify(own.settings.embedder)
  return isSame ? loaded : { ...loaded, settings: { ...loaded.settings, cache: { path: folder() } } }
}
