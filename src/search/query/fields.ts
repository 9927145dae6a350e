import { SimilarNames } from '../similar-names.ts'

/** The names that may stand before a colon, in the order in which they are shown. */
export const FIELD_NAMES = [
  'title',
  'path',
  'type',
  'tag',
  'links',
  'linkedfrom',
  'community',
  'task',
  'created',
  'modified',
  'dateCreated',
  'dateModified',
  'has',
] as const
export type FieldName = (typeof FIELD_NAMES)[number]

/** Whether a field has this name, in any case. */
export function isFieldName(name: string): boolean {
  return findField(name) !== undefined
}

/** The field of this name, in any case. */
export function findField(name: string): FieldName | undefined {
  return BY_FOLDED.get(name.toLowerCase())
}

/** The one of `names` that `word` may have been meant for. */
export function nearestOf(word: string, names: readonly string[]): string | undefined {
  const index = new SimilarNames()
  for (const [key, name] of names.entries()) index.set(key, [name])
  const files = { accept: () => true, id: (key: number) => String(key).padStart(3, '0') }
  return index.find(word, files, { limit: 1, minimum: MINIMUM })[0]?.name
}

const BY_FOLDED: ReadonlyMap<string, FieldName> = new Map(FIELD_NAMES.map((name) => [name.toLowerCase(), name]))

/** Character pairs shared by `titel` and `title` (0.5) or `pth` and `path` (0.4), but not by words that happen to have one in common. */
const MINIMUM = 0.35
