import type { IndexWriter, Outline, ResolvedLink } from '../core/index-writer.ts'
import { subpathTest } from '../links/subpath.ts'

/** Where the headings and blocks of notes are known. */
export interface OutlineSources {
  readonly writer: Pick<IndexWriter, 'outlines'>
  /** For the files about to be committed; `undefined` for those without any. */
  readonly placed: ReadonlyMap<number, Outline | undefined>
}

/** A file's links as they are resolved now; those that are the same objects as `before` are known. */
export interface LinkingFile {
  readonly links: readonly ResolvedLink[]
  readonly before?: readonly ResolvedLink[]
}

/**
 * The links of these files, marked if their heading or block does not exist. Unknown files count as fine: the link is
 * checked again when they arrive.
 */
export async function checkSubpaths(
  files: readonly LinkingFile[],
  { writer, placed }: OutlineSources,
): Promise<readonly (readonly ResolvedLink[])[]> {
  const wanted = files.flatMap(({ links, before }) =>
    links.flatMap((link, at) => {
      const key = link === before?.[at] ? undefined : partOf(link)?.key
      return key === undefined || placed.has(key) ? [] : [key]
    }),
  )
  const keys = [...new Set(wanted)]
  const stored = await writer.outlines(keys)
  const outlines = new Map([...placed, ...keys.map((key, at) => [key, stored[at]] as const)])
  const tests = new Map<number, (subpath: string) => boolean>()
  const isBroken = (link: ResolvedLink): boolean => {
    const part = partOf(link)
    const outline = part === undefined ? undefined : outlines.get(part.key)
    if (part === undefined || outline === undefined) return false
    const test = tests.get(part.key) ?? subpathTest(outline)
    tests.set(part.key, test)
    return !test(part.subpath)
  }
  return files.map(({ links, before }) => {
    const marked = links.map((link, at) =>
      link !== before?.[at] && isBroken(link) ? { ...link, brokenSubpath: true as const } : link,
    )
    return marked.some((link, at) => link !== links[at]) ? marked : links
  })
}

/** The part of a file that a link leads to; `undefined` when it leads to all of it, or nowhere. */
function partOf({ to, subpath }: ResolvedLink): { readonly key: number; readonly subpath: string } | undefined {
  return subpath === undefined || typeof to === 'string' ? undefined : { key: to, subpath }
}
