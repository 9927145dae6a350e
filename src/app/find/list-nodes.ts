import { ALL, type NodeSummary, type Paged, type Snapshot } from '../../core/store.ts'
import { foldTag } from '../../core/text/fold.ts'
import { cutData } from '../../core/text/inline-data.ts'
import { parseQuery } from '../../search/query/parse-query.ts'
import { answer, answerInSteps, type Call, listResult, type PageArguments, pageFor, plain } from '../answer/answer-when-ready.ts'
import {
  contentResponse,
  type ListedNode,
  linksShown,
  listResponses,
  MAX_LINKS,
  type NodeResponse,
} from '../answer/node-response.ts'
import { inMatchingFolder, scopeWarnings, tagWarnings } from '../answer/scope-warnings.ts'
import { CONTENT_LIMITS, truncate } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { requireText } from '../read/texts.ts'
import { type ScopeArguments, toScope } from '../scope.ts'
import { notesOfCommunities } from './communities.ts'
import { findByQuery } from './find-by-query.ts'

export interface ListNodesArguments extends PageArguments, Pick<ScopeArguments, 'tag' | 'path' | 'kinds'> {
  readonly community?: string | undefined
}

export interface NodeList {
  readonly nodes: readonly NodeSummary[]
  readonly total: number
}

export function listNodes(core: GraphCore, args: ListNodesArguments, call: Call = {}): Promise<Answer<NodeList>> {
  const { community } = args
  if (community !== undefined) return listCommunity(core, { ...args, community }, call)
  return answer(core, call, async (snapshot) => {
    const page = pageFor(args, call)
    const isEmpty = ({ total }: NodeList): boolean => total === 0
    return await inMatchingFolder({ snapshot, call, folder: args.path, isEmpty }, async (path) => {
      const request = { ...args, path: path === args.path ? path : `${path}/` }
      const { items, total } = await snapshot.select(toScope(request), page)
      return await listOf(snapshot, request, { items, total, offset: page.offset })
    })
  })
}

function listCommunity(
  core: GraphCore,
  args: ListNodesArguments & { readonly community: string },
  call: Call,
): Promise<Answer<NodeList>> {
  return answerInSteps(core, call, async (read, startedCall) => {
    const { communities, warnings } = await notesOfCommunities(core, startedCall, [args.community])
    const nodes = communities.get(args.community) ?? []
    const listing = await read(async (snapshot) => {
      const page = pageFor(args, call)
      const order = { by: 'title', direction: 'asc', terms: [], first: [] } as const
      const result = await snapshot.find({ kind: 'among', nodes }, { scope: toScope(args), order }, ALL)
      const items = [...result.items].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(page.offset, page.offset + page.limit)
      return await listOf(snapshot, args, { items, total: result.total, offset: page.offset })
    })
    return { ...listing, warnings: [...warnings, ...listing.warnings] }
  })
}

async function listOf(
  snapshot: Snapshot,
  args: ListNodesArguments,
  { items, total, offset }: Paged<NodeSummary> & { readonly offset: number },
): Promise<Answer<NodeList>> {
  const value = { nodes: items.map(({ id, title }) => ({ id, title })), total }
  const warnings = total === 0 ? await scopeWarnings(snapshot, args) : []
  return { ...listResult(value, { offset, shown: items.length, total }), warnings }
}

export interface SearchByTagsArguments extends PageArguments {
  readonly tags: readonly string[]
  readonly mode: 'any' | 'all'
  readonly links?: number | undefined
}

/** Returns notes with the given tags, sorted by id. A nested tag also matches its parents. */
export function searchByTags(
  core: GraphCore,
  args: SearchByTagsArguments,
  call: Call = {},
): Promise<Answer<readonly ListedNode[]>> {
  return answer(core, call, async (snapshot) => {
    const names = args.tags.map(foldTag)
    const page = pageFor(args, call)
    const { items, total } = await snapshot.select({ tags: { names, mode: args.mode } }, page)
    const ids = items.map(({ id }) => id)
    const value = await listResponses(snapshot, ids, { shown: 'excerpt', links: linksShown(args.links, call) })
    const warnings = await tagWarnings(snapshot, args.tags, call)
    return { ...listResult(value, { offset: page.offset, shown: ids.length, total }), warnings }
  })
}

export interface RecentNote {
  readonly id: string
  readonly title: string
  /** The time in ISO 8601, or as written in the note. */
  readonly modified?: string
}

/** Returns recent notes, newest first, without archived ones. */
export function recentNotes(
  core: GraphCore,
  { limit }: { readonly limit: number },
  call: Call = {},
): Promise<Answer<readonly RecentNote[]>> {
  return answer(core, call, async (snapshot) => {
    const { notes } = await findByQuery(snapshot, core, parseQuery('', new Date()), {
      scope: { withoutArchived: true },
      orderBy: 'modified',
      page: { offset: 0, limit },
    })
    const { items } = notes
    const ids = items.map(({ id }) => id)
    const nodes = await snapshot.nodes(ids, { links: 0, times: true })
    const present = nodes.filter((node) => node !== undefined)
    return plain(present.map(({ id, title, modified }) => ({ id, title, ...(modified === undefined ? {} : { modified }) })))
  })
}

export interface RandomNodeArguments {
  readonly tags?: readonly string[] | undefined
  /** A number of at least 0 and below 1. Equal seeds return the same note while the vault is unchanged. */
  readonly seed?: number | undefined
}

/** Returns `null` if no note matches. */
export function randomNode(
  core: GraphCore,
  { tags = [], seed = Math.random() }: RandomNodeArguments,
  call: Call = {},
): Promise<Answer<NodeResponse | null>> {
  return answer(core, call, async (snapshot) => {
    const scope = tags.length === 0 ? {} : { tags: { names: tags.map(foldTag), mode: 'any' as const } }
    const id = await snapshot.sample(scope, seed)
    if (id === undefined) return { value: null, warnings: await scopeWarnings(snapshot, { tags }, call) }
    const source = await requireText({ core, snapshot, call }, id)
    const [node] = await snapshot.nodes([id], { links: MAX_LINKS })
    if (node === undefined || source === undefined) return plain(null)
    const body = source.text.slice(source.bodyStart)
    return plain(contentResponse(node, truncate(cutData(body)?.text ?? body, CONTENT_LIMITS.single).text))
  })
}
