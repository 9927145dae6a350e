import type { Flavor, Link, MalformedPart, Note } from '../../core/note.ts'
import { indexLines, LineIndex } from '../line-index.ts'
import { scanBody } from '../parse-note.ts'
import { TagSet } from '../tags.ts'
import { type CanvasText, readCanvasNodes, sourceOffsets } from './canvas-json.ts'

/** Parses the text, files and group backgrounds of a canvas. The function never throws. */
export function parseCanvas(text: string, flavorSettings: Flavor): Note {
  const flavor: Flavor = flavorSettings.profile === 'obsidian' ? { ...flavorSettings, mode: 'obsidian' } : flavorSettings
  const nodes = readCanvasNodes(text)
  if ('malformed' in nodes) return noteOf([], new TagSet(), { malformed: [nodes.malformed] })
  const canvas = { text, flavor, lines: indexLines(text) }
  const links: Link[] = []
  const tags = new TagSet()
  const style = { wikilinks: 0, relativeLinks: 0 }
  for (const { file, subpath, text: card } of nodes.nodes) {
    if (file) links.push(fileLink(file, subpath?.value, canvas.lines))
    if (card) readCard(card, { ...canvas, links, tags, style })
  }
  links.sort((a, b) => a.start - b.start)
  return noteOf(links, tags, { style })
}

function noteOf(
  links: readonly Link[],
  tags: TagSet,
  rest: { malformed?: readonly MalformedPart[]; style?: Note['style'] },
): Note {
  return {
    aliases: [],
    tags: tags.list(),
    properties: {},
    links,
    headings: [],
    blocks: [],
    tasks: [],
    bodyStart: 0,
    malformed: rest.malformed ?? [],
    style: rest.style ?? { wikilinks: 0, relativeLinks: 0 },
  }
}

function fileLink(file: CanvasText, subpath: string | undefined, lines: LineIndex): Link {
  const link = { kind: 'embed', form: 'canvas', target: file.value, ...placeOf(file.start, file.end, lines) } as const
  return subpath === undefined || subpath === '' ? link : { ...link, subpath: subpath.replace(/^#/, '') }
}

function placeOf(start: number, end: number, lines: LineIndex): Pick<Link, 'line' | 'column' | 'start' | 'end'> {
  const line = lines.lineAt(start)
  return { line, column: start - lines.startOf(line) + 1, start, end }
}

interface CardContext {
  readonly text: string
  readonly flavor: Flavor
  readonly lines: LineIndex
  readonly links: Link[]
  readonly tags: TagSet
  readonly style: { wikilinks: number; relativeLinks: number }
}

function readCard(card: CanvasText, context: CardContext): void {
  const { lines, links, tags, style } = context
  const body = scanBody(card.value, 0, { flavor: context.flavor, lines: new LineIndex() })
  const sourceOf = sourceOffsets(context.text, card)
  for (const link of body.links) links.push({ ...link, ...placeOf(sourceOf(link.start), sourceOf(link.end), lines) })
  const tagSourceOf = sourceOffsets(context.text, card)
  for (const { name, at } of body.tags) tags.add(name, lines.lineAt(tagSourceOf(at)), true)
  style.wikilinks += body.style.wikilinks
  style.relativeLinks += body.style.relativeLinks
}
