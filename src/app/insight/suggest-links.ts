import { foldId, type NodeId, toNodeId, withoutVault } from '../../core/ids.ts'
import {
  BY_FOLDER,
  BY_LINKS,
  BY_MEANING,
  BY_RATE,
  BY_WORDS,
  IS_NAMED,
  type LinkInsight,
  noteNumber,
} from '../../core/insight/insight.ts'
import { nameOf } from '../../core/paths.ts'
import type { Node, Page } from '../../core/store.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { foldName } from '../../core/text/fold.ts'
import type { NoteText } from '../../core/texts.ts'
import { eachInTurn, takeTurns } from '../../core/waiting.ts'
import { type PlacedName, placeNames } from '../../insight/place-names.ts'
import { headingPathAt } from '../../search/chunks.ts'
import { type Call, listResult, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { roundScore } from '../answer/node-response.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { answerFromInsight } from '../find/communities.ts'
import { similarInOtherLanguages } from '../find/similar-nodes.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, readTexts, unreadWarnings } from '../read/texts.ts'
import { isFolder, trimFolder } from '../scope.ts'
import {
  DOCS_STYLE,
  type LineReplacement,
  type LinkedNote,
  linkStyleOf,
  readLinks,
  uniqueOnLine,
  writeLinks,
} from './write-link.ts'

export const SUGGESTION_KINDS = ['named', 'related', 'both'] as const
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number]

export interface SuggestArguments extends PageArguments {
  /** The note as an id or title. If both `id` and `folder` are omitted, the whole vault is searched. */
  readonly id?: string | undefined
  readonly folder?: string | undefined
  readonly kind: SuggestionKind
}

/** An operation in the format accepted by `apply_changes`. */
export interface LinkEdit {
  readonly tool: 'update_node'
  readonly arguments: {
    readonly id: NodeId
    readonly expected_hash: string
    readonly replace_text: { readonly find: string; readonly replace: string; readonly line: number }
  }
}

/** `named` means that the text contains a name of the target, `related` that both notes are similar. */
export type LinkSuggestion = {
  readonly from: NodeId
  readonly to: NodeId
  readonly title: string
  /** The score, from 0 to 1. */
  readonly score: number
  readonly why: readonly string[]
} & (
  | {
      readonly kind: 'named'
      readonly line: number
      readonly text: string
      /** The edit that adds the link. It is omitted if the link cannot be inserted. */
      readonly edit?: LinkEdit
    }
  | { readonly kind: 'related'; readonly section: readonly string[] }
)

export interface SuggestionList {
  readonly suggestions: readonly LinkSuggestion[]
  readonly total: number
}

/** Returns the key of a dismissed suggestion. The separator `//` never occurs in paths. */
export function linkKey(from: NodeId, to: NodeId, { name }: Pick<GraphCore, 'name'>): string {
  return `link:${withoutVault(from, name)}//${withoutVault(to, name)}`
}

export function suggestLinks(core: GraphCore, args: SuggestArguments, call: Call = {}): Promise<Answer<SuggestionList>> {
  return answerFromInsight(core, call, {
    from: core.linkInsights,
    empty: { suggestions: [], total: 0 },
    use: (insight, read) => read((snapshot) => suggestIn({ core, snapshot, call }, insight, args)),
  })
}

const MIN_SCORE = 0.1

async function suggestIn(reading: ReadingContext, insight: LinkInsight, args: SuggestArguments): Promise<Answer<SuggestionList>> {
  const { core, snapshot, call } = reading
  const { filter, warnings: scopeNotices } = await meantBy(reading, args)
  const page = pageFor(args, call)
  const dismissed = await core.insightState.dismissed()
  const candidates =
    filter === undefined ? [] : withForeign(candidatesOf(insight, filter), await foreignCandidates(reading, filter))
  const all = candidates.filter(({ from, to }) => !dismissed.has(linkKey(from, to, core)))
  const { suggestions, unread, total } = await pageOf(reading, insight, { all, page })
  const empty = total === 0 ? await scopeWarnings(snapshot, { folder: args.folder }) : []
  const warnings = [...scopeNotices, ...empty, ...unreadWarnings(unread)]
  return { ...listResult({ suggestions, total }, { offset: page.offset, shown: suggestions.length, total }), warnings }
}

interface Candidate {
  readonly from: NodeId
  readonly to: NodeId
  readonly score: number
  readonly line: number
  readonly reasons: number
}

interface SuggestionFilter {
  readonly id: NodeId | undefined
  readonly folder: string
  readonly kind: SuggestionKind
  readonly vault: string | undefined
}

async function meantBy(
  { core, snapshot }: ReadingContext,
  { id: name, folder = '', kind }: SuggestArguments,
): Promise<{ readonly filter: SuggestionFilter | undefined; readonly warnings: readonly Warning[] }> {
  const filter: SuggestionFilter = { id: undefined, folder: foldId(trimFolder(folder)), kind, vault: core.name }
  if (name === undefined) return { filter, warnings: [] }
  const {
    ids: [id],
    warnings,
  } = await findNamed(snapshot, core, [name])
  if (id !== undefined) return { filter: { ...filter, id }, warnings }
  const ownName = withoutVault(name, core.name)
  if (filter.folder === '' && (await isFolder(snapshot, ownName)))
    return { filter: { ...filter, folder: foldId(trimFolder(ownName)) }, warnings: [] }
  return { filter: undefined, warnings }
}

function candidatesOf(insight: LinkInsight, { id, folder, kind, vault }: SuggestionFilter): readonly Candidate[] {
  const { ids, suggestions } = insight
  const prefix = folder === '' ? '' : toNodeId(`${folder}/`, vault)
  const candidates: Candidate[] = []
  const notes = id === undefined ? ids.keys() : [noteNumber(insight, id) ?? []].flat()
  for (const note of notes) {
    const noteId = ids[note] as NodeId
    if (!noteId.startsWith(prefix)) continue
    for (let at = suggestions.offsets[note] as number; at < (suggestions.offsets[note + 1] as number); at++) {
      const reasons = suggestions.reasons[at] as number
      const score = suggestions.scores[at] as number
      const isNamed = (reasons & IS_NAMED) !== 0
      if ((kind === 'named' && !isNamed) || (kind === 'related' && isNamed)) continue
      if (id === undefined && score < MIN_SCORE) continue
      candidates.push({
        from: noteId,
        to: ids[suggestions.targets[at] as number] as NodeId,
        score,
        line: suggestions.lines[at] as number,
        reasons,
      })
    }
  }
  return candidates.sort(byScore)
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || compareTexts(a.from, b.from) || compareTexts(a.to, b.to)
}

const MAX_FOREIGN = 12

/** Returns candidates in other languages, which share few words with the note. */
async function foreignCandidates(reading: ReadingContext, { id, kind }: SuggestionFilter): Promise<readonly Candidate[]> {
  if (id === undefined || kind === 'named') return []
  const { hits } = await similarInOtherLanguages(reading, {}, { id, out: new Set([id]), limit: MAX_FOREIGN })
  return hits.slice(0, MAX_FOREIGN).map((hit) => ({ from: id, to: hit.id, score: hit.score, line: 0, reasons: BY_MEANING }))
}

function withForeign(candidates: readonly Candidate[], foreign: readonly Candidate[]): readonly Candidate[] {
  const others = new Map(foreign.map((candidate) => [candidate.to, candidate]))
  const both = candidates.map((candidate) => {
    const other = others.get(candidate.to)
    others.delete(candidate.to)
    return other === undefined
      ? candidate
      : { ...candidate, score: Math.max(candidate.score, other.score), reasons: candidate.reasons | BY_MEANING }
  })
  return foreign.length === 0 ? candidates : [...both, ...others.values()].sort(byScore)
}

const outdated = new WeakMap<LinkInsight, Set<string>>()

interface Listed extends SuggestionList {
  readonly unread: readonly NodeId[]
}

async function pageOf(
  reading: ReadingContext,
  insight: LinkInsight,
  { all, page }: { readonly all: readonly Candidate[]; readonly page: Page },
): Promise<Listed> {
  const past = outdated.get(insight) ?? new Set()
  outdated.set(insight, past)
  const cached = new Map<Candidate, LinkSuggestion>()
  const unread = new Set<NodeId>()
  for (;;) {
    const remaining = all.filter((candidate) => !past.has(keyOf(candidate)))
    const shownCandidates = remaining.slice(page.offset, page.offset + page.limit)
    const open = shownCandidates.filter((candidate) => !cached.has(candidate) && !unread.has(candidate.from))
    if (open.length === 0) {
      const suggestions = shownCandidates.flatMap((candidate) => cached.get(candidate) ?? [])
      return { suggestions, unread: [...unread], total: remaining.length - (shownCandidates.length - suggestions.length) }
    }
    const details = await describeCandidates(reading, insight, open)
    for (const [candidate, suggestion] of details.suggestions) cached.set(candidate, suggestion)
    for (const id of details.unread) unread.add(id)
    for (const candidate of open) if (!cached.has(candidate) && !unread.has(candidate.from)) past.add(keyOf(candidate))
  }
}

function keyOf({ from, to }: Candidate): string {
  return `${from}//${to}`
}

interface Described {
  readonly suggestions: ReadonlyMap<Candidate, LinkSuggestion>
  readonly unread: readonly NodeId[]
}

async function describeCandidates(
  reading: ReadingContext,
  insight: LinkInsight,
  candidates: readonly Candidate[],
): Promise<Described> {
  const { snapshot } = reading
  const sources = [...new Set(candidates.map(({ from }) => from))]
  const targets = [...new Set(candidates.map(({ to }) => to))]
  const [links, sourceNodes, targetNodes, names] = await Promise.all([
    snapshot.occurrences(candidates.map(({ from, to }) => [from, to] as const)),
    snapshot.nodes(sources, { links: 0 }),
    snapshot.nodes(targets, { links: 0 }),
    snapshot.namesOf(targets),
  ])
  const nodes = new Map<NodeId, Node>(
    [...sourceNodes, ...targetNodes].flatMap((node) => (node?.kind === 'note' && !node.excluded ? [[node.id, node]] : [])),
  )
  const namesOf = new Map(targets.map((id, at) => [id, [...(names[at] ?? []), fileName(nodes.get(id)?.path ?? '')]]))
  const unlinked = candidates.filter(({ from, to }, at) => links[at]?.length === 0 && nodes.has(from) && nodes.has(to))
  const { texts, unread } = await readTexts(reading, sources)
  const writer = await openWriter(reading, { insight, nodes, texts, targets })
  const suggestions = new Map<Candidate, LinkSuggestion>()
  const turn = takeTurns(reading.call.signal)
  for (const from of sources) {
    await turn()
    const fromNote = unlinked.filter((candidate) => candidate.from === from)
    const source = texts.get(from)
    const byName = fromNote.filter(({ reasons }) => (reasons & IS_NAMED) !== 0)
    const places =
      source === undefined
        ? []
        : placeNames(
            source,
            byName.map(({ to, line }) => ({ names: namesOf.get(to) ?? [], line })),
          )
    const placedNames = byName.flatMap((candidate, at) => {
      const place = places[at]
      return place === undefined ? [] : [{ candidate, place }]
    })
    const replacements = placedNames.length === 0 ? [] : writer(from, placedNames)
    for (const [at, { candidate, place }] of placedNames.entries()) {
      if (source !== undefined)
        suggestions.set(candidate, namedSuggestion(candidate, { place, source, nodes, replacement: replacements[at] }))
    }
    for (const candidate of fromNote) {
      if ((candidate.reasons & IS_NAMED) !== 0) continue
      const section = headingPathAt(nodes.get(from)?.headings ?? [], candidate.line)
      suggestions.set(candidate, { ...common(candidate, nodes), kind: 'related', section: candidate.line === 0 ? [] : section })
    }
  }
  return { suggestions, unread }
}

function fileName(path: string): string {
  return nameOf(path).replace(/\.(?:md|markdown|mdx)$/i, '')
}

function common({ from, to, score, reasons }: Candidate, nodes: ReadonlyMap<NodeId, Node>) {
  const why = [
    ...((reasons & IS_NAMED) !== 0 ? ['mention'] : []),
    ...((reasons & BY_RATE) !== 0 ? ['mostly linked'] : []),
    ...((reasons & BY_WORDS) !== 0 ? ['words'] : []),
    ...((reasons & BY_LINKS) !== 0 ? ['links'] : []),
    ...((reasons & BY_FOLDER) !== 0 ? ['folder'] : []),
    ...((reasons & BY_MEANING) !== 0 ? ['meaning'] : []),
  ]
  return { from, to, title: nodes.get(to)?.title ?? '', score: roundScore(score), why }
}

interface NamedMention {
  readonly place: PlacedName
  readonly source: NoteText
  readonly nodes: ReadonlyMap<NodeId, Node>
  readonly replacement: LineReplacement | undefined
}

function namedSuggestion(candidate: Candidate, { place, source, nodes, replacement }: NamedMention): LinkSuggestion {
  const edit: LinkEdit | undefined =
    replacement === undefined
      ? undefined
      : {
          tool: 'update_node',
          arguments: { id: candidate.from, expected_hash: source.hash, replace_text: { ...replacement, line: place.line } },
        }
  const text = lineAround(source.text, place)
  return { ...common(candidate, nodes), kind: 'named', line: place.line, text, ...(edit === undefined ? {} : { edit }) }
}

const CONTEXT_LENGTH = 80

function lineAround(text: string, { start, end }: PlacedName): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const to = newline === -1 ? text.length : newline
  const first =
    start - from > CONTEXT_LENGTH
      ? `…${text.slice(start - CONTEXT_LENGTH, start).replace(/^\S*\s/, '')}`
      : text.slice(from, start)
  const last = to - end > CONTEXT_LENGTH ? `${text.slice(end, end + CONTEXT_LENGTH).replace(/\s\S*$/, '')}…` : text.slice(end, to)
  return `${first}${text.slice(start, end)}${last}`.trim()
}

type LinkWriter = (
  from: NodeId,
  found: readonly { readonly candidate: Candidate; readonly place: PlacedName }[],
) => readonly (LineReplacement | undefined)[]

interface WriterParts {
  readonly insight: LinkInsight
  readonly nodes: ReadonlyMap<NodeId, Node>
  readonly texts: ReadonlyMap<NodeId, NoteText>
  readonly targets: readonly NodeId[]
}

/** The vault's link style is taken from this many notes, those with the most outgoing links. */
const DISTINCTIVE_NOTES = 3

async function openWriter(reading: ReadingContext, { insight, nodes, texts, targets }: WriterParts): Promise<LinkWriter> {
  const { core, snapshot } = reading
  const names = targets.map((id) => fileName(nodes.get(id)?.path ?? ''))
  const hits = await snapshot.names(names, 'equal', { withExcluded: true, kinds: ['note', 'attachment', 'canvas'] })
  const unique = new Set(
    targets.filter(
      (_, at) => (hits[at] ?? []).filter((hit) => foldName(fileName(hit.id)) === foldName(names[at] ?? '')).length < 2,
    ),
  )
  const isNote = (path: string): boolean => {
    return noteNumber(insight, toNodeId(foldId(path), core.name)) !== undefined
  }
  const { mode } = core.indexing.status()
  const telling = { isNote, isDocs: mode === 'docs' }
  const read = ([id, { text }]: readonly [NodeId, NoteText]) => {
    const note = readLinks(nodes.get(id)?.path ?? '', text)
    return [id, { note, style: linkStyleOf([note], telling) }] as const
  }
  const notes = new Map(await eachInTurn([...texts], takeTurns(reading.call.signal), read))
  const isAnyWithout = [...notes.values()].some(({ style }) => style === undefined)
  const common = isAnyWithout ? linkStyleOf(await textsOfHubs(reading), telling) : undefined
  const usual = common ?? (mode === 'docs' ? DOCS_STYLE : undefined)
  const pageNamesOf = (id: NodeId): readonly string[] | undefined => {
    const target = nodes.get(id)
    return mode === 'logseq' && target !== undefined ? [target.title, ...target.aliases] : undefined
  }
  return (from, mentions) => {
    const linked = notes.get(from)
    if (linked === undefined) return []
    const newLinks = mentions.map(({ candidate: { to }, place: { start, end } }) => {
      return { start, end, to: nodes.get(to)?.path ?? '', isNameUnique: unique.has(to), pageNames: pageNamesOf(to) }
    })
    const texts = writeLinks(linked.note, newLinks, linked.style ?? usual)
    return mentions.map(({ place }, at) => {
      const link = texts[at]
      return link === undefined ? undefined : uniqueOnLine(linked.note.text, place, link)
    })
  }
}

async function textsOfHubs(reading: ReadingContext): Promise<readonly LinkedNote[]> {
  const hubs = await reading.snapshot.hubs('out_degree', { kinds: ['note'] }, DISTINCTIVE_NOTES)
  const ids = hubs?.items.map(({ id }) => id) ?? []
  const [{ texts }, nodes] = await Promise.all([readTexts(reading, ids), reading.snapshot.nodes(ids, { links: 0 })])
  return nodes.flatMap((node) => {
    const text = node === undefined ? undefined : texts.get(node.id)?.text
    return node?.path === undefined || text === undefined ? [] : [readLinks(node.path, text)]
  })
}
