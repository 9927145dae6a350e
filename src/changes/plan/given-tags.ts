import { foldName } from '../../core/text/fold.ts'
import { propertyTag } from '../../markdown/tags.ts'

/** A notice about duplicate tags in a list. */
export function repeatedTagNotes(tags: readonly string[]): readonly string[] {
  const first = new Map<string, string>()
  const repeated = new Set<string>()
  for (const tag of tags.map(nameOf)) {
    const seen = first.get(foldName(tag))
    if (seen === undefined) first.set(foldName(tag), tag)
    else repeated.add(seen)
  }
  return repeated.size === 0 ? [] : [`Tags that are given twice are written once: ${withHashes([...repeated])}.`]
}

/** The tags that are in both lists, in any spelling. */
export function commonTags(some: readonly string[], others: readonly string[]): readonly string[] {
  const folded = new Set(others.map((tag) => foldName(nameOf(tag))))
  return [...new Set(some.map(nameOf).filter((tag) => folded.has(foldName(tag))))]
}

/** Tags as a sentence names them. */
export function withHashes(tags: readonly string[]): string {
  return tags.map((tag) => `#${tag}`).join(', ')
}

function nameOf(given: string): string {
  return propertyTag(given) ?? given
}
