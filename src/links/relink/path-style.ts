import { hasFolderTargets, type Names } from '../name-index.ts'
import { folderOf } from '../names.ts'
import { atRelative, isRelative, type LinkTarget, type Resolution, type Source } from '../resolve.ts'

/**
 * How a link names its file: by a path from the root (`/f/a`), from the source's folder (`./a`, `../a`), from there without saying so
 * (`[a](a.md)`, as every reader of Markdown understands it), by the whole path (`f/a`), by its end, by the bare name.
 */
export type PathStyle = 'rooted' | 'relative' | 'sibling' | 'full' | 'end' | 'name'

/** The style of a link that was found so. */
export function pathStyleOf(
  link: LinkTarget,
  found: Resolution & { readonly kind: 'file' },
  source: Source,
  names: Names,
): PathStyle {
  const { target } = link
  if (found.via === 'alias') return 'name'
  if (target.startsWith('/')) return 'rooted'
  if (isRelative(target)) return 'relative'
  if (siblingOf(link, source, names) === found.key) return 'sibling'
  if (!target.includes('/')) return 'name'
  return found.via === 'path' ? 'full' : 'end'
}

/** The file that a link of Markdown means from its source's folder, without `./`: what readers that know no vault follow. */
export function siblingOf(link: LinkTarget, source: Source, names: Names): number | undefined {
  const { target, form } = link
  const isWiki = form === 'wikilink' || form === 'page' || form === 'canvas'
  if (isWiki || target === '' || target.startsWith('/')) return undefined
  const found = atRelative(names, folderOf(source.path), hasFolderTargets(names.mode) ? withoutQuery(target) : target)
  return found?.kind === 'file' ? found.key : undefined
}

/** A target without what follows a `?`. */
export function withoutQuery(target: string): string {
  const at = target.indexOf('?')
  return at > 0 ? target.slice(0, at) : target
}
