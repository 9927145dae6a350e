import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { ReadFile } from '../../../bench/oracle/ends.mjs'
import type { Operation, SectionMode, UpdateNote } from '../../../src/core/operations.ts'

/** An action before its file is known: numbers pick among the existing files. */
export interface Action {
  readonly kind: Kind
  readonly at: number
  readonly to: number
  readonly pick: number
  /** Whether to apply the dry run's plan, or to repeat the request. */
  readonly byPlan: boolean
  /** Whether the action is undone and redone at once. */
  readonly undone: boolean
}

/** The places that notes and folders are moved to. `fresh` is a word that occurs in no note. */
function placeOf(fresh: string, to: number): string {
  const places = [
    fresh,
    `f/${fresh}`,
    `n/${fresh}`,
    `Tea, ${fresh}`,
    `${fresh} (2)`,
    `g h/${fresh}'s`,
    'a',
    'f/a',
    'A',
    'b',
    `caf\u00e9/${fresh}`,
    'No such note',
    `${fresh} & co`,
    `v2.0 ${fresh}`,
  ]
  return places[to % places.length] as string
}

export interface Scene {
  readonly files: ReadonlyMap<string, ReadFile>
  /** Reads the text of a file. */
  readonly text: (path: string) => string
  /** Files in the trash. */
  readonly deleted: readonly string[]
  readonly fresh: string
}

/** Line numbers from 1: the heading's first and last line, and the first line after the section. */
export interface Section {
  readonly name: string
  readonly line: number
  readonly lastLine: number
  readonly end: number
}

export interface Planned {
  readonly operations: readonly Operation[]
  /** The note that is edited, if any. */
  readonly subject?: string
  /** The section's heading, and what happens there. */
  readonly section?: Section & { readonly mode: SectionMode }
  readonly find?: string
  readonly content?: string
  readonly tag?: { readonly from: string; readonly to: string }
}

const MODES: readonly SectionMode[] = ['replace', 'append', 'prepend', 'insert_before', 'insert_after']
const CONTENTS = ['New words.', '- one\n- two', 'New [[b]] here.', '> quote', 'Line one\nline two']
const VALUES = ['text', 'a: b, [c]', 7, true, ['x', 'y, z'], null, '2024-01-05', '[[b]]'] as const
const OLD_TAGS = ['old', 'other', 'old/deep'] as const

/** The parts of an action. */
interface Choice extends Pick<Action, 'at' | 'to' | 'pick'> {
  readonly scene: Scene
  readonly paths: readonly string[]
  readonly notes: readonly string[]
  readonly content: string
}

/** An action on a note, with the hash that distinguishes it from a twin. */
interface NoteChoice extends Choice {
  readonly id: string
  readonly note: ReadFile
  readonly hash: { readonly expectedHash?: string }
}

type Make<C> = (choice: C) => Planned | undefined

/** Actions on an existing note. */
function ofNote(make: Make<NoteChoice>): Make<Choice> {
  return (choice) => {
    const id = nth(choice.notes, choice.at)
    const note = id === undefined ? undefined : choice.scene.files.get(id)
    return id === undefined || note === undefined
      ? undefined
      : make({ ...choice, id, note, hash: hashWhereTwins(id, choice.scene) })
  }
}

/** Edits of a note with `update_node`. */
function edit(more: (choice: NoteChoice) => Partial<UpdateNote>): Make<Choice> {
  return ofNote((choice) => {
    const { id, hash, content } = choice
    return { operations: [{ kind: 'update', id, updateLinks: true, ...hash, ...more(choice) }], subject: id, content }
  })
}

function nth<T>(items: readonly T[], at: number): T | undefined {
  return items[at % items.length]
}

const MAKERS = {
  create: ({ scene: { fresh }, to, content }) => ({
    operations: [{ kind: 'create', id: placeOf(fresh, to), content: `# ${fresh}\n\n${content}\n` }],
  }),
  append: edit(({ content }) => ({ append: content })),
  prepend: edit(({ content }) => ({ prepend: content })),
  replace_text: ofNote(({ id, hash, scene: { fresh, text }, pick }) => {
    const words = [...text(id).matchAll(/word\d+/g)].map(([found]) => found)
    const find = nth(words, pick)
    if (find === undefined || words.filter((each) => each === find).length > 1) return undefined
    const replaceText = { find, replace: fresh, count: 1 }
    return { operations: [{ kind: 'update', id, updateLinks: true, ...hash, replaceText }], subject: id, find, content: fresh }
  }),
  section: ofNote(({ id, hash, note, scene, pick, to, content }) => {
    const section = nth(sectionsOf(note, scene.text(id)), pick)
    const mode = nth(MODES, to) ?? 'replace'
    if (section === undefined) return undefined
    const operation = { kind: 'update', id, updateLinks: true, ...hash, section: [section.name], content, mode } as const
    return { operations: [operation], subject: id, section: { ...section, mode }, content }
  }),
  whole: edit(({ content }) => ({ content: `${content}\n`, replaceAll: true })),
  title: edit(({ scene: { fresh }, to }) => ({ title: placeOf(fresh, to).split('/').at(-1) ?? '' })),
  tags: edit(({ scene: { fresh } }) => ({ tags: [fresh, 'other'] })),
  properties: edit(({ scene: { fresh }, pick }) => ({ properties: { [pick % 3 === 0 ? 'n' : fresh]: nth(VALUES, pick) } })),
  relations: edit(({ notes, pick, to }) => ({ relations: { [pick % 3 === 0 ? 'up' : 'about']: nth(notes, to) ?? '' } })),
  manage_tags: ofNote(({ id, scene: { fresh }, pick }) => ({
    operations: [{ kind: 'manageTags', id, add: [fresh], remove: pick % 2 === 0 ? ['old'] : [] }],
    subject: id,
  })),
  move: ({ paths, at, to, scene }) => {
    const from = nth(paths, at)
    if (from === undefined) return undefined
    const [ending = ''] = /\.[^./]*$/.exec(from) ?? []
    return { operations: [{ kind: 'move', id: from, to: placeOf(scene.fresh, to) + ending, ...hashWhereTwins(from, scene) }] }
  },
  move_folder: ({ paths, at, to, scene: { fresh } }) => {
    const folders = paths.flatMap((path) => (path.includes('/') ? [path.slice(0, path.lastIndexOf('/'))] : []))
    const folder = nth([...new Set(folders)], at)
    return folder === undefined ? undefined : { operations: [{ kind: 'move', id: folder, to: placeOf(fresh, to) }] }
  },
  rename_heading: ofNote(({ id, note: { headings }, scene: { fresh }, pick, to }) => {
    const heading = nth(headings, pick)
    if (heading === undefined) return undefined
    const name = nth([`New ${fresh}`, 'Part two', `${fresh} [[b]]`], to) ?? fresh
    return { operations: [{ kind: 'renameHeading', id, heading: [heading.text], to: name }], subject: id }
  }),
  rename_tag: ({ scene: { fresh }, pick }) => {
    const tag = nth(OLD_TAGS, pick) ?? 'old'
    return { operations: [{ kind: 'renameTag', tag, to: fresh }], tag: { from: tag, to: fresh } }
  },
  delete: ofNote(({ id, hash }) => ({ operations: [{ kind: 'delete', id, ...hash }] })),
  restore: ({ scene: { deleted }, at }) => {
    const gone = nth(deleted, at)
    return gone === undefined ? undefined : { operations: [{ kind: 'restore', id: gone.replace(/^\.trash\//, '') }] }
  },
  clone: ofNote(({ id, to, scene: { fresh } }) => ({
    operations: [{ kind: 'clone', id, folder: nth(['f', `n${fresh}`, '/'], to) ?? 'f' }],
  })),
  create_folder: ({ scene: { fresh }, to }) => ({ operations: [{ kind: 'createFolder', path: placeOf(fresh, to) }] }),
  add_attachment: ofNote(({ id, scene: { fresh } }) => ({
    operations: [{ kind: 'addAttachment', id, filename: `${fresh}.txt`, content: Buffer.from('text').toString('base64') }],
    subject: id,
  })),
  delete_attachment: ({ paths, at }) => {
    const path = nth(
      paths.filter((each) => each.endsWith('.png')),
      at,
    )
    return path === undefined ? undefined : { operations: [{ kind: 'deleteAttachment', id: path }] }
  },
} satisfies Record<string, Make<Choice>>

const SEVERAL = ['move', 'append', 'rename_heading', 'rename_tag', 'create', 'move_folder', 'title', 'delete'] as const

/** `several` combines two others in one request. */
export type Kind = keyof typeof MAKERS | 'several'
export const KINDS: readonly Kind[] = [...(Object.keys(MAKERS) as (keyof typeof MAKERS)[]), 'several']

const action: fc.Arbitrary<Action> = fc.record({
  // Actions that rewrite links are drawn more often, because most can go wrong there.
  kind: fc.constantFrom<Kind>(...KINDS, 'move', 'rename_heading', 'several'),
  at: fc.nat(20),
  to: fc.nat(40),
  pick: fc.nat(60),
  byPlan: fc.boolean(),
  undone: fc.boolean(),
})

/** Follows every second deletion with a restoration; otherwise few vaults would have both. */
export const actions = fc
  .array(action, { minLength: 1, maxLength: 5 })
  .map((drawn) =>
    drawn.flatMap((each): readonly Action[] =>
      each.kind === 'delete' && each.pick % 2 === 0 ? [each, { ...each, kind: 'restore' }] : [each],
    ),
  )

/** The operations of an action in this vault; `undefined` if nothing fits. */
export function plannedFor({ kind, at, to, pick }: Action, scene: Scene): Planned | undefined {
  const paths = [...scene.files.keys()]
  const notes = paths.filter((path) => scene.files.get(path)?.kind === 'note')
  const choice: Choice = { at, to, pick, scene, paths, notes, content: nth(CONTENTS, pick) ?? '' }
  if (kind !== 'several') return MAKERS[kind](choice)
  const first = MAKERS[nth(SEVERAL, pick) ?? 'move'](choice)
  const second = MAKERS[nth(SEVERAL, to) ?? 'move']({ ...choice, at: at + 1, scene: { ...scene, fresh: `${scene.fresh}b` } })
  return first === undefined || second === undefined ? undefined : { operations: [...first.operations, ...second.operations] }
}

/** A hash identifies a file among those whose names differ only in case. */
function hashWhereTwins(path: string, { files, text }: Scene): { readonly expectedHash?: string } {
  const fold = (name: string): string => name.normalize('NFC').toLowerCase()
  if ([...files.keys()].filter((other) => fold(other) === fold(path)).length < 2) return {}
  return {
    expectedHash: createHash('sha256')
      .update(Buffer.from(text(path), 'latin1'))
      .digest('hex'),
  }
}

/** Sections of the note's own headings with unique names: from the line after the heading to the next heading of the same or a higher level. */
function sectionsOf({ headings }: ReadFile, text: string): readonly Section[] {
  const lines = text.split('\n').length
  const top = headings.filter(({ isTop }) => isTop)
  return top.flatMap(({ text: name, depth, line, lastLine }, at) => {
    if (headings.filter((each) => plain(each.text) === plain(name)).length > 1 || plain(name) === '') return []
    const next = top.slice(at + 1).find((each) => each.depth <= depth)
    return [{ name, line, lastLine, end: next === undefined ? lines + 1 : next.line }]
  })
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
