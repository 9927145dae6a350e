import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Flavor, Link } from '../../core/note.ts'
import { folderOf } from '../../core/paths.ts'
import { hasFolderTargets, type NameIndex, type Names } from '../names.ts'
import { joinPath, mentionsAny, resolveLink, type Source } from '../resolve.ts'
import { candidates, type NewLinkFormat, pathStyleOf, siblingOf } from './candidates.ts'
import { ChangedNames, type NameChange } from './changed-names.ts'
import { type Choose, editLinks } from './edit-links.ts'
import type { GainedLink, LostLink, RelinkedFile, RelinkPlan, RelinkSource, SourceTexts } from './relink-plan.ts'

export interface Renaming {
  readonly names: NameIndex
  readonly changes: readonly NameChange[]
  readonly flavor: Flavor
  readonly newLinkFormat: NewLinkFormat
}

/**
 * Plans a rewrite for each link that would resolve differently. Links to moved files that would become ambiguous are rewritten,
 * too, and so are relative Markdown links that other tools could no longer resolve (unless Obsidian writes paths from the root).
 * @param sources the files returned by `affectedSources`, with their current links
 */
export function planRelink(sources: Iterable<RelinkSource>, renaming: Renaming, texts: SourceTexts): RelinkPlan {
  const relinker = new Relinker(renaming, texts)
  for (const source of sources) relinker.relink(source)
  return relinker
}

interface NewTargets {
  /** The best targets come first. Those that also match other files come last. */
  readonly targets: readonly string[]
  /** The link is written as an alias, which becomes its text. */
  readonly isAlias: boolean
}

class Relinker implements RelinkPlan {
  readonly files: RelinkedFile[] = []
  readonly lost: LostLink[] = []
  readonly gained: GainedLink[] = []
  readonly #renaming: Renaming
  readonly #after: ChangedNames
  readonly #texts: SourceTexts

  constructor(renaming: Renaming, texts: SourceTexts) {
    this.#renaming = renaming
    this.#after = new ChangedNames(renaming.names, renaming.changes)
    this.#texts = texts
  }

  relink(source: RelinkSource): void {
    const path = this.#after.file(source.key)?.path
    // A file that is removed or changes its type is not edited.
    if (path === undefined || endingOf(path) !== endingOf(source.path)) return
    const now = { key: source.key, path }
    const affected = source.links.filter((link) => this.#needsText(link, source, now))
    if (affected.length === 0) return
    const { file, lost } = editLinks(
      {
        source,
        pathAfter: path,
        needed: affected,
        choose: this.#chooser(source, now),
        isKept: (is, before) => is.subpath === before.subpath && this.#leadsTo(is, now, before.to),
      },
      this.#texts,
    )
    if (file !== undefined) this.files.push(file)
    // The application can still find such a file by searching the vault.
    const isRepaired = ({ link }: LostLink) => !hasFolderTargets(this.#after.mode) && this.#leadsTo(link, now, link.to)
    this.lost.push(...lost.filter((each) => !isRepaired(each)))
  }

  /** Returns true if the link must be rewritten, and records links that are lost or gained. */
  #needsText(link: ResolvedLink, source: RelinkSource, now: Source): boolean {
    if (link.target === '') return false
    const { flavor } = this.#renaming
    if (!this.#after.isChanged(source.key) && !mentionsAny(link, source.path, flavor, this.#after.touched)) return false
    const resolution = resolveLink(this.#after, now, link, flavor)
    if (typeof link.to === 'string') {
      if (resolution.kind === 'file') this.gained.push({ source, link, to: resolution.key })
      return false
    }
    if (this.#after.path(link.to) === undefined) {
      this.lost.push({ source, link, reason: 'gone' })
      return false
    }
    if (resolution.kind !== 'file' || resolution.key !== link.to) return true
    // A longer path is written if other files now have the same name, as in Obsidian.
    if (resolution.rivals !== undefined && link.rivals === undefined && this.#isMoved(link.to)) return true
    // Other Markdown tools neither search the vault nor ignore case.
    const { names, newLinkFormat } = this.#renaming
    if (newLinkFormat === 'absolute' && !hasFolderTargets(names.mode)) return false
    if (siblingOf(link, source, names) !== link.to) return false
    if (siblingOf(link, now, this.#after) !== link.to) return true
    return isSpelledAs(link, source, names) && !isSpelledAs(link, now, this.#after)
  }

  #isMoved(key: number): boolean {
    return this.#renaming.names.path(key) !== this.#after.path(key)
  }

  #chooser(source: RelinkSource, now: Source): Choose {
    // The targets are cached, because a note can contain the same link a thousand times.
    const cache = new Map<string, NewTargets>()
    return (link, { target: slot, shownTarget = slot }) => {
      const key = `${link.form} ${link.target}`
      const { targets, isAlias } = cache.get(key) ?? this.#targetsFor(link, source, now)
      cache.set(key, { targets, isAlias })
      for (const target of targets) {
        for (const { start, end, write } of isAlias ? [shownTarget, slot] : [slot]) {
          const text = write(target)
          if (text !== undefined) return { start, end, text }
        }
      }
      return undefined
    }
  }

  #targetsFor(link: ResolvedLink, source: RelinkSource, now: Source): NewTargets {
    const { names, flavor, newLinkFormat } = this.#renaming
    const file = typeof link.to === 'number' ? this.#after.file(link.to) : undefined
    const resolution = resolveLink(names, source, link, flavor)
    if (file === undefined || resolution.kind !== 'file') return { targets: [], isAlias: false }
    const style = pathStyleOf(link, resolution, source, names)
    const oldLink = { link, style, via: resolution.via, path: names.file(file.key)?.path ?? file.path }
    const sure: string[] = []
    const unsure: string[] = []
    for (const target of candidates(oldLink, { names: this.#after, source: now, file, newLinkFormat })) {
      const to = resolveLink(this.#after, now, { form: link.form, target }, flavor)
      if (to.kind === 'file' && to.key === file.key) (to.rivals === undefined ? sure : unsure).push(target)
    }
    // A Logseq link to a page always shows the page's name.
    return { targets: [...sure, ...unsure], isAlias: resolution.via === 'alias' && flavor.mode !== 'logseq' }
  }

  #leadsTo(link: Pick<Link, 'form' | 'target'>, source: Source, key: ResolvedLink['to']): boolean {
    const resolution = resolveLink(this.#after, source, link, this.#renaming.flavor)
    return resolution.kind === 'file' && resolution.key === key
  }
}

/** Returns true if the spelling works on a case-sensitive file system. */
function isSpelledAs({ to, target }: ResolvedLink, source: Source, names: Names): boolean {
  const path = typeof to === 'number' ? names.path(to) : undefined
  const named = joinPath(folderOf(source.path), target.split('?')[0] ?? '')
  if (path === undefined || named === undefined || !path.startsWith(named)) return false
  // The link may lack the extension or the name of an index file.
  return path === named || ['.', '/'].includes(path.charAt(named.length))
}

/** Returns a file's extension, which determines the parser. */
function endingOf(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0].toLowerCase() ?? ''
}
