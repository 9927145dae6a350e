import type { Flavour, MalformedPart, Note } from '../core/note.ts'
import { type ReadFrontmatter, readFrontmatter } from './frontmatter/frontmatter.ts'
import { addPropertyTags, aliasesOf, type PropertyContext, propertyLinks, titleOf } from './frontmatter/properties.ts'
import { LineIndex } from './line-index.ts'
import { logseqProperties } from './logseq.ts'
import { type Body, scanBody } from './scan-body.ts'
import { TagSet } from './tags.ts'

/** Reads what a note says from its text alone. Never throws: what is malformed is told in `malformed`. */
export function parseNote(text: string, given: Flavour): Note {
  const flavour: Flavour = given.profile === 'obsidian' ? { ...given, mode: 'obsidian' } : given
  const context = { text, flavour, lines: new LineIndex() }
  const front = readFrontmatter(text, flavour, context.lines)
  const body = scanBody(text, front.end, context)
  return flavour.mode === 'logseq' ? noteOf(withPageProperties(front, body, text), body, context) : noteOf(front, body, context)
}

function withPageProperties(front: ReadFrontmatter, body: Body, text: string): ReadFrontmatter {
  const page = logseqProperties(text, body.firstRun)
  return { ...front, properties: { ...front.properties, ...page.properties }, tags: [...front.tags, ...page.texts] }
}

function noteOf(front: ReadFrontmatter, body: Body, context: PropertyContext): Note {
  const { texts, properties } = front
  const tags = new TagSet()
  addPropertyTags(front.tags, context, tags)
  for (const { name, at } of body.tags) tags.add(name, context.lines.lineAt(at), true)
  const links = propertyLinks(texts, context).map(({ link }) => link)
  const title = titleOf(properties)
  const h1 = body.headings.find((heading) => heading.level === 1 && heading.text !== '')?.text
  const note: { -readonly [Key in keyof Note]: Note[Key] } = {
    aliases: aliasesOf(front.saved ?? properties, context.flavour.profile),
    tags: tags.list(),
    properties,
    links: links.length === 0 ? body.links : [...links, ...body.links],
    headings: body.headings,
    blocks: body.blocks,
    tasks: body.tasks,
    bodyStart: front.end,
    malformed: malformedParts(front, context),
    style: body.style,
  }
  if (title !== undefined) note.title = title
  if (h1 !== undefined) note.h1 = h1
  return note
}

function malformedParts(front: ReadFrontmatter, context: PropertyContext): readonly MalformedPart[] {
  const hints = front.texts.length === 0 ? [] : unquotedHints(front, context)
  const nul = context.text.indexOf('\0')
  if (nul !== -1) hints.push({ line: context.lines.lineAt(nul), message: NUL })
  return hints.length === 0 ? front.malformed : [...front.malformed, ...hints]
}

const NUL = 'There is a NUL character, which no text holds: the file is damaged, or saved in another encoding than UTF-8.'

/** Leniently an unquoted `[[a]]` is read as a link, but Obsidian does not see it. */
function unquotedHints({ texts }: ReadFrontmatter, { flavour, lines }: PropertyContext): MalformedPart[] {
  if (flavour.profile === 'obsidian') return []
  return texts
    .filter(({ unquoted }) => unquoted)
    .map(({ key, value, start }) => ({
      line: lines.lineAt(start),
      message: `The link in property "${key}" has no quotes, so other tools do not see it: write "${value}" with them.`,
    }))
}
