import type { ResolvedLink } from '../../../core/index-writer.ts'
import type { LinkReport } from '../../../core/operations.ts'
import { ChangedNames, type NameChange } from '../../../links/relink/changed-names.ts'
import type { LostReason, RelinkSource } from '../../../links/relink/relink-plan.ts'
import { mentionsAny, resolveLink } from '../../../links/resolve.ts'
import type { VaultView } from '../vault-view.ts'

/** A collection of links that a change breaks or redirects. A later operation may still repair them. */
export class LinkReports {
  readonly #view: VaultView
  readonly #lostLinks = new Map<string, LostLinkEntry>()

  constructor(view: VaultView) {
    this.#view = view
  }

  /** @param target path to which the link currently resolves */
  add(source: RelinkSource, link: ResolvedLink, { target, reason }: Pick<LostLinkEntry, 'target' | 'reason'>): void {
    const id = `${source.key} ${link.start} ${link.target}`
    if (!this.#lostLinks.has(id)) this.#lostLinks.set(id, { key: source.key, link, target, reason })
  }

  /** Adds links that would resolve differently. */
  addRedirected(
    sources: readonly RelinkSource[],
    changes: readonly NameChange[],
    pathOf: (key: number) => string | undefined,
  ): void {
    const { names, flavor } = this.#view
    const after = new ChangedNames(names, changes)
    for (const source of sources) {
      for (const link of source.links) {
        if (typeof link.to === 'string') continue
        if (!after.isChanged(source.key) && !mentionsAny(link, source.path, flavor, after.touched)) continue
        const resolution = resolveLink(after, source, link, flavor)
        if (resolution.kind === 'file' && resolution.key === link.to) continue
        this.add(source, link, { target: pathOf(link.to) ?? '', reason: 'gone' })
      }
    }
  }

  /** @param pathOf returns a file's future path, or `undefined` for a removed file */
  list(
    pathOf: (key: number) => string | undefined,
    linksOf: (key: number) => readonly ResolvedLink[] | undefined,
  ): readonly LinkReport[] {
    return [...this.#lostLinks.values()].flatMap(({ key, link: old, target, reason }) => {
      const path = pathOf(key)
      const links = linksOf(key)
      const link = links === undefined ? old : links.find((each) => each.form === old.form && each.target === old.target)
      if (path === undefined || link === undefined) return []
      const resolution = resolveLink(this.#view.names, { key, path }, link, this.#view.flavor)
      const now = resolution.kind === 'file' ? pathOf(resolution.key) : undefined
      const isUnchanged = now === target && reason === 'gone'
      return isUnchanged ? [] : [{ path, line: link.line, text: link.target, reason: reasonOf(reason, now) }]
    })
  }
}

interface LostLinkEntry {
  readonly key: number
  readonly link: ResolvedLink
  readonly target: string
  readonly reason: LostReason
}

const REASONS: Readonly<Record<LostReason, string>> = {
  gone: 'nothing has this name anymore',
  unreadable: 'the file that contains it cannot be read',
  unwritable: 'the new name cannot be written in a link of this kind',
  misread: 'with the new name, the surrounding text would be parsed differently',
}

function reasonOf(reason: LostReason, now: string | undefined): string {
  return reason === 'gone' && now !== undefined ? `it now leads to ${JSON.stringify(now)}` : REASONS[reason]
}
