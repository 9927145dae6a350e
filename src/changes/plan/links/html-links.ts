import type { LinkReport } from '../../../core/operations.ts'
import { folderOf } from '../../../core/paths.ts'
import { foldName } from '../../../core/text/fold.ts'
import { joinPath } from '../../../links/resolve.ts'
import { parseNote } from '../../../markdown/parse-note.ts'
import { type Draft, decode } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

export interface HtmlLinks {
  /** Broken HTML links. They are not among the vault's links, so they are not rewritten. */
  readonly broken: readonly LinkReport[]
  /** Number of notes that were not read because of the time limit. */
  readonly unread: number
}

const TIME_LIMIT = 1000

const YIELD_INTERVAL = 10

/** A note with its paths before and after the change. */
interface Source {
  readonly from: string
  readonly to: string
  readonly draft: Draft | undefined
}

/**
 * Finds HTML links (`<a href>` and `<img src>`) that a move breaks. Returns none in the mode `docs`, where HTML links are
 * rewritten like any other.
 */
export async function brokenHtmlLinks(view: VaultView, drafts: readonly Draft[]): Promise<HtmlLinks> {
  const newPaths = new Map(drafts.filter(isMoved).map(({ original, path }) => [foldName(original ?? ''), path]))
  const areLinks = view.flavour.mode === 'docs' && view.flavour.profile === 'lenient'
  const sources = areLinks || newPaths.size === 0 ? [] : sourcesIn(view, drafts)
  const deadline = performance.now() + TIME_LIMIT
  const broken: LinkReport[] = []
  let pause = performance.now() + YIELD_INTERVAL
  for (const [at, source] of sources.entries()) {
    const now = performance.now()
    if (now > deadline) return { broken, unread: sources.length - at }
    if (now > pause) {
      await new Promise((resolve) => setImmediate(resolve))
      pause = performance.now() + YIELD_INTERVAL
    }
    broken.push(...brokenIn(source, view, newPaths))
  }
  return { broken, unread: 0 }
}

/** Returns all notes that remain in the vault, changed ones first. */
function sourcesIn(view: VaultView, drafts: readonly Draft[]): readonly Source[] {
  const plannedPaths = new Set(drafts.map(({ original }) => original))
  const changed = drafts.map((draft) => ({ from: draft.original ?? draft.path, to: draft.path, draft }))
  const others = view.filesBelow('').filter(({ path }) => !plannedPaths.has(path))
  const all = [...changed, ...others.map(({ path }) => ({ from: path, to: path, draft: undefined }))]
  return all.filter(({ to }) => !isTrash(to) && view.kindOf(to) === 'note')
}

function brokenIn({ from, to, draft }: Source, view: VaultView, newPaths: ReadonlyMap<string, string>): readonly LinkReport[] {
  const bytes = draft?.isEdited === true ? draft.bytes : view.read(from)
  if (bytes === undefined || !mayLink(bytes)) return []
  return linksIn(decode(bytes), view).flatMap(({ line, target }) => {
    const before = placeOf(target, from)
    if (before === undefined) return []
    const now = newPaths.get(foldName(before)) ?? (view.keyAt(before) === undefined ? undefined : before)
    if (now === undefined || foldName(placeOf(target, to) ?? '') === foldName(now)) return []
    return [{ path: to, line, text: target, reason: 'it is in HTML, which is not rewritten' }]
  })
}

export function isMoved({ original, path }: Draft): boolean {
  return original !== undefined && original !== path && !isTrash(original) && !isTrash(path)
}

/** A quick check that rules out most notes. */
function mayLink(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return ['href', 'HREF', '<img', '<IMG'].some((mark) => buffer.includes(mark))
}

function linksIn(text: string, { flavour }: VaultView): readonly { readonly line: number; readonly target: string }[] {
  return parseNote(text, { ...flavour, profile: 'lenient', mode: 'docs' }).links.filter(
    ({ form, target }) => form === 'html' && target !== '',
  )
}

/** Returns the path that a browser would open. */
function placeOf(target: string, source: string): string | undefined {
  const [path = ''] = target.split('?')
  return joinPath(path.startsWith('/') ? '' : folderOf(source), path)
}
