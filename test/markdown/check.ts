import { expect } from 'vitest'
import type { Flavor, Link, Note } from '../../src/core/note.ts'
import { parseCanvas } from '../../src/markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../src/markdown/parse-note.ts'

const LENIENT: Flavor = { profile: 'lenient', mode: 'obsidian', comments: true }

export function flavor(changes: Partial<Flavor> = {}): Flavor {
  return { ...LENIENT, ...changes }
}

export const OBSIDIAN = flavor({ profile: 'obsidian' })
export const DOCS = flavor({ mode: 'docs' })
export const LOGSEQ = flavor({ mode: 'logseq' })

/** Checks all facts of a text, one per line; other tests check positions. */
export function check(text: string, expected: string, given: Flavor = LENIENT): void {
  expect(factsOf(parseNote(text, given)), JSON.stringify(text)).toBe(lines(expected))
}

export function checkCanvas(text: string, expected: string, given: Flavor = LENIENT): void {
  expect(factsOf(parseCanvas(text, given)), text).toBe(lines(expected))
}

function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** The facts of a note: `title`, `alias`, `h1`…, links as `kind target#subpath|display (form)`, `#tag`, `^block`, `bad line`. */
function factsOf(note: Note): string {
  const facts = [
    ...(note.title === undefined ? [] : [`title ${note.title}`]),
    ...note.aliases.map((alias) => `alias ${alias}`),
    ...note.headings.map(({ level, text }) => `h${level} ${text}`.trim()),
    ...note.links.map(linkFact),
    ...note.tags.map(({ name }) => `#${name}`),
    ...note.blocks.map((id) => `^${id}`),
    ...note.malformed.map(({ line }) => `bad ${line}`),
  ]
  return facts.join('\n')
}

function linkFact(link: Link): string {
  const { kind, form, target, subpath, display, property, inComment } = link
  const head = property === undefined ? kind : `${property}:`
  const notes = [...(form === 'wikilink' ? [] : [form]), ...(inComment ? ['comment'] : [])].map((note) => ` (${note})`)
  return `${head} ${target}${subpath === undefined ? '' : `#${subpath}`}${display === undefined ? '' : `|${display.replace(/\s+/g, ' ')}`}${notes.join('')}`
}
