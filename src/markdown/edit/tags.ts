import { isDeepStrictEqual } from 'node:util'
import type { TextEdit } from '../../core/changes.ts'
import type { Flavour } from '../../core/note.ts'
import { foldName } from '../../core/text/fold.ts'
import { bodyStartOf, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { addPropertyTags } from '../frontmatter/properties.ts'
import { LineIndex } from '../line-index.ts'
import { scanBody } from '../scan-body.ts'
import { propertyTag, TagSet } from '../tags.ts'
import { addProperties, editPairs, frontmatterEdits } from './edit-frontmatter.ts'
import { type FrontmatterTree, requireFrontmatter } from './frontmatter-tree.ts'
import { invalid, requireText } from './given-text.ts'
import { READING } from './reading.ts'
import { editTagEntry, tagsIn } from './tag-list.ts'
import { writeValue } from './write-yaml.ts'

/**
 * Adds tags to the frontmatter's list, as new lines or items of it; those that are there in any spelling are not added
 * again. Without frontmatter it makes one that holds just the list.
 * @throws RouxError `INVALID_PARAMS` for what is no tag, `EDIT_MISMATCH` with the line where the frontmatter is malformed.
 */
export function addTags(text: string, tags: readonly string[]): readonly TextEdit[] {
  return editTags(text, { wanted: requireTags(tags), keeps: () => true })
}

/**
 * Removes tags from the frontmatter's list, in any spelling; nested ones below them stay. With the last one goes the key,
 * and with the last property the frontmatter.
 * @throws RouxError like `addTags`.
 */
export function removeTags(text: string, tags: readonly string[]): readonly TextEdit[] {
  const removed = new Set(requireTags(tags).map(foldName))
  return editTags(text, { wanted: [], keeps: (folded) => !removed.has(folded) })
}

/**
 * Makes these the tags of the frontmatter's list: those that are in it keep their place and spelling, others go, new ones
 * come last. Items that name no tag stay.
 * @throws RouxError like `addTags`.
 */
export function setTags(text: string, tags: readonly string[]): readonly TextEdit[] {
  const wanted = requireTags(tags)
  const kept = new Set(wanted.map(foldName))
  return editTags(text, { wanted, keeps: (folded) => kept.has(folded) })
}

/** The tags that the body names, without `#`, each once as first written: no edit of the frontmatter takes them away. */
export function bodyTags(text: string, flavour: Flavour): readonly string[] {
  const body = scanBody(text, bodyStartOf(text), { flavour, lines: new LineIndex() })
  const tags = new TagSet()
  for (const { name } of body.tags) tags.add(name, 0, true)
  return tags.list().map(({ name }) => name)
}

/** The tags that the frontmatter lists, without `#`, each once as first written. */
export function listedTags(text: string): readonly string[] {
  const lines = new LineIndex()
  const front = readFrontmatter(text, READING, lines)
  const tags = new TagSet()
  addPropertyTags(front.tags, { text, flavour: READING, lines }, tags)
  return tags.list().map(({ name }) => name)
}

/**
 * Tags without `#` and without `/` at their end, each once.
 * @throws RouxError `INVALID_PARAMS` for what Obsidian would not take for one tag.
 */
function requireTags(tags: readonly string[]): readonly string[] {
  const found = new Map<string, string>()
  for (const given of tags) {
    const name = propertyTag(requireText('tags', given))
    if (name === undefined) {
      throw invalid(
        'tags',
        `${JSON.stringify(given)} is no tag.`,
        'A tag has letters, digits, _, - and /, at least one of them no digit, and no spaces.',
      )
    }
    if (!found.has(foldName(name))) found.set(foldName(name), name)
  }
  return [...found.values()]
}

interface Change {
  readonly wanted: readonly string[]
  readonly keeps: (folded: string) => boolean
}

/** Names of the property that lists tags. */
export const TAG_KEY = /^tags?$/i

function editTags(text: string, { wanted, keeps }: Change): readonly TextEdit[] {
  const tree = requireFrontmatter(text)
  const entries = tree.entries.filter(({ key }) => TAG_KEY.test(key))
  const main = entries.find(({ key }) => key.length === 4) ?? entries[0]
  const present = new Set(entries.flatMap((entry) => tagsIn(tree, entry)).filter(keeps))
  const added = wanted.filter((tag) => !present.has(foldName(tag)))
  const edits = entries.flatMap((entry) => editTagEntry(tree, entry, { keeps, added: entry === main ? added : [] }))
  if (!main && added.length > 0) edits.push(...newList(tree, added))
  const expected = new Set([...present, ...added.map(foldName)])
  return frontmatterEdits(tree, edits, (after, properties) => {
    return sameTags(after, expected) && isDeepStrictEqual(withoutTags(properties), withoutTags(tree.properties))
  })
}

function newList(tree: FrontmatterTree, added: readonly string[]): readonly TextEdit[] {
  if (tree.form === 'flow') return editPairs(tree, new Map([['tags', added]]), new Set())
  return addProperties(tree, new Map([['tags', writeValue(added)]]))
}

function withoutTags(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !TAG_KEY.test(key)))
}

function sameTags(text: string, expected: ReadonlySet<string>): boolean {
  const found = listedTags(text).map(foldName)
  return found.length === expected.size && found.every((tag) => expected.has(tag))
}
