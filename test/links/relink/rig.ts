import type { Flavor, Link } from '../../../src/core/note.ts'
import { editText } from '../../../src/core/text/edit-text.ts'
import { NameIndex } from '../../../src/links/names.ts'
import type { NewLinkFormat } from '../../../src/links/relink/candidates.ts'
import { affectedSources, movedTo, type NameChange } from '../../../src/links/relink/changed-names.ts'
import { planRelink } from '../../../src/links/relink/plan-relink.ts'
import type { RelinkPlan, RelinkSource, SourceTexts } from '../../../src/links/relink/relink-plan.ts'
import { addMentions, withTarget } from '../../../src/links/resolve.ts'
import { parseCanvas } from '../../../src/markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { slotsOfCanvas, slotsOfNote } from '../../../src/markdown/retarget/link-slots.ts'
import { fileKind } from '../../../src/vault/file-system.ts'

export const LENIENT: Flavor = { profile: 'lenient', mode: 'obsidian', comments: true }

export type Files = Readonly<Record<string, string>>

/** A vault as text, scanned and resolved as the indexer does it. */
export class TextVault {
  readonly files: Files
  readonly flavor: Flavor
  readonly names: NameIndex
  readonly keys = new Map<string, number>()
  readonly #mentions = new Map<string, Set<number>>()
  readonly #sources = new Map<number, RelinkSource>()

  /** `keys` lets files keep their keys under a new path. */
  constructor(files: Files, flavor: Flavor = LENIENT, keys: ReadonlyMap<string, number> = new Map()) {
    this.files = files
    this.flavor = flavor
    this.names = new NameIndex(flavor.mode)
    const notes = new Map<string, ReturnType<typeof parseNote>>()
    for (const [path, text] of Object.entries(files)) {
      const key = keys.get(path) ?? this.keys.size
      this.keys.set(path, key)
      const kind = fileKind(path, flavor.mode)
      const note = kind === 'attachment' ? undefined : read(path, text, flavor)
      if (note !== undefined) notes.set(path, note)
      this.names.add({ key, path, aliases: note?.aliases ?? [], title: note?.title })
    }
    for (const [path, note] of notes) this.#resolve(path, note.links)
  }

  #resolve(path: string, links: readonly Link[]): void {
    const source = { key: this.keys.get(path) as number, path }
    const resolved = links.map((link) => {
      addMentions(link, path, this.flavor, (name) => {
        const keys = this.#mentions.get(name) ?? new Set()
        this.#mentions.set(name, keys.add(source.key))
      })
      return withTarget(this.names, source, link, this.flavor)
    })
    this.#sources.set(source.key, { ...source, links: resolved })
  }

  source(path: string): RelinkSource | undefined {
    return this.#sources.get(this.keys.get(path) ?? -1)
  }

  /** Where each link of each file leads: a key, or the name of a missing target. */
  ends(): ReadonlyMap<number, readonly (number | string)[]> {
    return new Map([...this.#sources].map(([key, { links }]) => [key, links.map(({ to }) => to)]))
  }

  sources(): readonly RelinkSource[] {
    return [...this.#sources.values()]
  }

  get texts(): SourceTexts {
    return {
      read: ({ path }) => this.files[path],
      slots: (path, text) => (path.endsWith('.canvas') ? slotsOfCanvas(text, this.flavor) : slotsOfNote(text, this.flavor)),
      links: (path, text) => read(path, text, this.flavor).links,
    }
  }

  relink(changes: readonly NameChange[], newLinkFormat: NewLinkFormat = 'shortest'): RelinkPlan {
    const keys = affectedSources(this.names, changes, (name) => this.#mentions.get(name) ?? [])
    const sources = [...keys].sort((a, b) => a - b).flatMap((key) => this.#sources.get(key) ?? [])
    return planRelink(sources, { names: this.names, changes, flavor: this.flavor, newLinkFormat }, this.texts)
  }

  /** The plan for some moves, and the vault after it. */
  move(moves: Readonly<Record<string, string>>, newLinkFormat: NewLinkFormat = 'shortest') {
    const changes = Object.entries(moves).map(([from, to]) => movedTo(this.names, this.keys.get(from) as number, to))
    const plan = this.relink(changes, newLinkFormat)
    const edited = applyPlan(this.files, plan)
    const entries = Object.entries(edited).map(([path, text]) => [moves[path] ?? path, text] as const)
    const keys = new Map([...this.keys].map(([path, key]) => [moves[path] ?? path, key]))
    return { plan, after: new TextVault(Object.fromEntries(entries), this.flavor, keys) }
  }
}

/** The texts after a plan's edits, under their old paths. */
export function applyPlan(files: Files, plan: Pick<RelinkPlan, 'files'>): Files {
  const edited = { ...files }
  for (const { path, edits } of plan.files) edited[path] = editText(files[path] as string, edits)
  return edited
}

function read(path: string, text: string, flavor: Flavor) {
  return path.endsWith('.canvas') ? parseCanvas(text, flavor) : parseNote(text, flavor)
}
