import { RouxError } from '../../core/errors.ts'
import type { RelationTargets } from '../../core/operations.ts'
import { nameOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { resolveLink, type Source } from '../../links/resolve.ts'
import { quote, requireInside } from '../path-rules.ts'
import type { Draft } from './draft.ts'
import type { Workspace } from './workspace.ts'

/**
 * The links for relations whose targets are given by id, name, alias or title. An unknown name stays as it is: a link
 * to a future note.
 * @throws RouxError `AMBIGUOUS_NAME` when several notes have the name
 */
export function relationLinks(
  workspace: Workspace,
  relations: RelationTargets,
  source: Source,
): Readonly<Record<string, string | readonly string[] | null>> {
  return Object.fromEntries(
    Object.entries(relations).map(([name, targets]) => {
      if (typeof targets === 'string') return [name, relationLink(workspace, targets, source)]
      return [name, targets === null ? null : targets.map((target) => relationLink(workspace, target, source))]
    }),
  )
}

function relationLink(workspace: Workspace, given: string, source: Source): string {
  const target = given.trim().replace(/^\[\[(.*)\]\]$/s, '$1')
  // With a heading or a display text it is a link already.
  if (/[#|]/.test(target)) return target
  const found = findById(workspace, target) ?? findByName(workspace, target, source)
  // Missing targets are reported with the other written links after planning.
  return found === undefined ? target : linkTo(workspace, found, source)
}

function findById(workspace: Workspace, id: string): Draft | undefined {
  try {
    requireInside(id)
  } catch {
    return undefined
  }
  return workspace.tryFind(id)
}

function findByName(workspace: Workspace, name: string, source: Source): Draft | undefined {
  const { names, flavour } = workspace.view
  const found = resolveLink(names, source, { form: 'wikilink', target: name }, flavour)
  const keys = found.kind === 'file' ? [found.key, ...(found.rivals ?? [])] : workspace.view.keysTitled(name)
  const drafts = keys.flatMap((key) => workspace.byKey(key) ?? [])
  if (drafts.length < 2) return drafts[0]
  const candidates = drafts.map(({ path }) => workspace.idOf(path)).sort()
  throw new RouxError('AMBIGUOUS_NAME', `${drafts.length} notes are called ${quote(name)}.`, {
    hint: 'Give the id of the one that is meant.',
    candidates: candidates.slice(0, 20),
  })
}

/**
 * The shortest text of a wikilink that leads to a file and to no other, as Obsidian's setting for new links has it.
 * @throws RouxError `INVALID_PARAMS` when no wikilink can say the file's name
 */
export function linkTo({ view }: Workspace, { key, path }: Pick<Draft, 'key' | 'path'>, source: Source): string {
  const isNote = view.kindOf(path) === 'note'
  const full = isNote ? path.replace(/\.md$/i, '') : path
  // The file that links may be new, and not among the names yet: beside it, its own name would mean itself.
  const isOwn = foldName(nameOf(source.path)) === foldName(nameOf(path))
  const short = view.newLinkFormat === 'shortest' && !isOwn ? [nameOf(full)] : []
  for (const target of [...short, full, path, `/${full}`, `/${path}`]) {
    if (/[#|[\]\n^]/.test(target)) continue
    const found = resolveLink(view.names, source, { form: 'wikilink', target }, view.flavour)
    if (found.kind === 'file' && found.key === key && found.rivals === undefined) return target
  }
  throw new RouxError('INVALID_PARAMS', `No wikilink can name ${quote(path)}.`, {
    hint: 'Give it a name without #, |, ^, [ and ], one that no other note has.',
  })
}
