import { RouxError } from '../../core/errors.ts'
import { type NodeId, withoutVault } from '../../core/ids.ts'
import type { Operation, WriteResult } from '../../core/operations.ts'
import { ALL, type NodeKind, type NodeSummary, type Occurrence, type Snapshot } from '../../core/store.ts'
import { type Loss, withoutNotes } from '../../insight/without-notes.ts'
import { answer, answerInSteps, type Call, plain } from '../answer/answer-when-ready.ts'
import { type Fitted, leftOutOf } from '../answer/budget.ts'
import { fitShares } from '../answer/fit-members.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { readLinkSentences } from '../links/link-sentences.ts'
import { filesByPath, requireNamed } from '../names/known-node.ts'
import { type ReadingContext, unreadWarnings } from '../read/texts.ts'
import { toScope } from '../scope.ts'
import { checkOperation, nameNotes, withNearest } from '../write/operation-arguments.ts'

export type Intent =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'operations'; readonly operations: readonly Operation[] }

export interface ImpactArguments {
  readonly intent: Intent
  readonly mayApply: boolean
}

/** A link that would break or change its target. */
export interface BrokenLink {
  readonly id: NodeId
  readonly line: number
  /** The sentence with the link. For operations, the text is only the link. */
  readonly text: string
  /** Number of equal links in the sentence. It is omitted if there is only one. */
  readonly times?: number
  readonly reason?: string
}

export interface Impact {
  readonly breaks: readonly BrokenLink[]
  /** Notes that would lose their last link. */
  readonly orphaned: readonly NodeSummary[]
  /** Sizes of the new connected components, except the largest. */
  readonly falls_apart: readonly number[]
  /** Notes that would no longer be reachable from index notes. */
  readonly unreachable_from_index: readonly NodeSummary[]
  /** The length of each list before truncation. For `breaks`, it is the number of links. */
  readonly total: Readonly<Record<ImpactList, number>>
  readonly plan_id?: string
}

export type ImpactList = 'breaks' | 'orphaned' | 'falls_apart' | 'unreachable_from_index'

const FILE_KINDS: readonly NodeKind[] = ['note', 'canvas', 'attachment']
/** The limit exceeds any budget. It does not apply if all items are requested. */
const MAX_ITEMS = 500
const MAX_SENTENCES = 60
/** Maximum number of files in a deleted folder. */
const MAX_PLANNED = 100

/**
 * Determines the impact of operations or of a deletion, without writing anything.
 * @throws RouxError `NODE_NOT_FOUND`, `AMBIGUOUS_NAME`, and any error from planning the operations
 */
export async function impact(core: GraphCore, { intent, mayApply }: ImpactArguments, call: Call = {}): Promise<Answer<Impact>> {
  if (intent.kind === 'operations') return await impactOfOperations(core, intent.operations, { mayApply, call })
  const { value, warnings, operations } = await impactOfDeleting(core, intent, call)
  if (!mayApply || operations.length === 0) return { value, warnings }
  try {
    const { planId } = await planned(core, operations, call)
    return { value: planId === undefined ? value : { ...value, plan_id: planId }, warnings }
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return { value, warnings: [...warnings, { code: 'NOTICE', message: `These operations would fail: ${error.message}` }] }
  }
}

interface Deleting extends Answer<Impact> {
  readonly operations: readonly Operation[]
}

async function impactOfDeleting(core: GraphCore, intent: Exclude<Intent, { kind: 'operations' }>, call: Call): Promise<Deleting> {
  let operations: readonly Operation[] = []
  const result = await answer(core, call, async (snapshot) => {
    const { ids, warnings } = await findGone(snapshot, core, intent)
    const kinds = await snapshot.kinds(ids)
    operations =
      ids.length > MAX_PLANNED
        ? []
        : ids.map((id, at) => {
            return { kind: kinds[at] === 'attachment' ? 'deleteAttachment' : 'delete', id: withoutVault(id, core.name) }
          })
    const reading = { core, snapshot, call }
    const [links, loss] = await Promise.all([snapshot.linksInto(ids), lossOf(snapshot, ids)])
    const { breaks, unread } = await describeBreaks(reading, links)
    const tooMany: readonly Warning[] =
      ids.length > MAX_PLANNED ? [{ code: 'NOTICE', message: `Changes to more than ${MAX_PLANNED} files get no plan_id.` }] : []
    const value = await impactOf(reading, { breaks, count: links.length, loss })
    return { value, warnings: [...warnings, ...unreadWarnings(unread), ...tooMany] }
  })
  return { ...result, operations }
}

async function findGone(
  snapshot: Snapshot,
  core: GraphCore,
  intent: Exclude<Intent, { kind: 'operations' }>,
): Promise<{ readonly ids: readonly NodeId[]; readonly warnings: readonly Warning[] }> {
  if (intent.kind === 'id') {
    const { id, warnings } = await requireNamed(snapshot, core, intent.id)
    return { ids: [id], warnings }
  }
  const { folder } = intent
  const { items } = await snapshot.select({ ...toScope({ folder }), kinds: FILE_KINDS }, ALL)
  return { ids: items.map(({ id }) => id), warnings: items.length === 0 ? await scopeWarnings(snapshot, { folder }) : [] }
}

async function impactOfOperations(
  core: GraphCore,
  operations: readonly Operation[],
  { mayApply, call }: { readonly mayApply: boolean; readonly call: Call },
): Promise<Answer<Impact>> {
  for (const operation of operations) checkOperation(operation)
  const named = await nameNotes(core, operations, call)
  const { files, dangling, planId, ...rest } = await planned(core, named.operations, call).catch(async (error: unknown) => {
    throw await withNearest(core, error, named)
  })
  const notes = [...named.notes, ...rest.notes]
  const deletedPaths = files.flatMap(({ kind, from }) => (kind === 'deleted' && from !== undefined ? [from] : []))
  const result = await answer(core, call, async (snapshot) => {
    const { idOf } = await filesByPath(snapshot, core, [...deletedPaths, ...dangling.map(({ path }) => path)])
    const breaks = dangling.map(({ path, line, text, reason }): BrokenLink => ({ id: idOf(path), line, text, reason }))
    const reading = { core, snapshot, call }
    return plain(await impactOf(reading, { breaks, count: breaks.length, loss: await lossOf(snapshot, deletedPaths.map(idOf)) }))
  })
  return {
    value: mayApply && planId !== undefined ? { ...result.value, plan_id: planId } : result.value,
    warnings: [...notes.map((message): Warning => ({ code: 'NOTICE', message })), ...result.warnings],
  }
}

async function planned(core: GraphCore, operations: readonly Operation[], call: Call): Promise<WriteResult> {
  await answerInSteps(core, call, async () => plain(undefined))
  if (core.planning !== undefined) return await core.planning.plan(operations, call.signal)
  throw new RouxError('TOOL_DISABLED', 'This server cannot read the vault, so it cannot compute the effect of operations.', {
    hint: 'Ask a server that has the folder, or ask about deleting a note (id) or a folder.',
  })
}

type NumberedLoss = Loss & { readonly ids: readonly NodeId[] }

async function lossOf(snapshot: Snapshot, deleted: readonly NodeId[]): Promise<NumberedLoss> {
  if (deleted.length === 0) return { ids: [], orphaned: [], fallsApart: [], unreachable: [] }
  const topology = await snapshot.topology()
  const ids = topology.ids()
  const set = new Set(deleted)
  return {
    ids,
    ...withoutNotes(
      topology,
      Uint8Array.from(ids, (id) => Number(set.has(id))),
    ),
  }
}

async function describeBreaks(
  reading: ReadingContext,
  links: readonly Occurrence[],
): Promise<{ readonly breaks: readonly BrokenLink[]; readonly unread: readonly NodeId[] }> {
  const shown = reading.call.isUntruncated === true ? links : links.slice(0, MAX_ITEMS)
  const sentences = await readLinkSentences(reading, reading.call.isUntruncated === true ? shown : shown.slice(0, MAX_SENTENCES))
  const breaks = new Map<string, BrokenLink>()
  for (const link of shown) {
    const row = { id: link.from, line: link.line, text: sentences.of(link) }
    const key = JSON.stringify(row)
    const before = breaks.get(key)
    breaks.set(key, before === undefined ? row : { ...row, times: (before.times ?? 1) + 1 })
  }
  return { breaks: [...breaks.values()], unread: sentences.unread }
}

async function impactOf(
  { snapshot, call }: ReadingContext,
  { breaks, count, loss }: { readonly breaks: readonly BrokenLink[]; readonly count: number; readonly loss: NumberedLoss },
): Promise<Impact> {
  const { ids, orphaned, fallsApart, unreachable } = loss
  const maxItems = call.isUntruncated === true ? Number.POSITIVE_INFINITY : MAX_ITEMS
  const idsOf = (numbers: readonly number[]) =>
    numbers
      .flatMap((number) => ids[number] ?? [])
      .sort()
      .slice(0, maxItems)
  const [unlinked, cutOff] = await Promise.all(
    [orphaned, unreachable].map(async (numbers) => {
      const nodes = await snapshot.nodes(idsOf(numbers), { links: 0 })
      return nodes.flatMap((node): readonly NodeSummary[] => (node === undefined ? [] : [{ id: node.id, title: node.title }]))
    }),
  )
  return {
    breaks,
    orphaned: unlinked ?? [],
    falls_apart: fallsApart,
    unreachable_from_index: cutOff ?? [],
    total: {
      breaks: count,
      orphaned: orphaned.length,
      falls_apart: fallsApart.length,
      unreachable_from_index: unreachable.length,
    },
  }
}

const LIST_SHARE = 0.25
const MAX_SIZES = 50

export function fitImpact(impact: Impact, room: number): Fitted<Partial<Impact>> {
  const rounds = [{ orphaned: LIST_SHARE, unreachable_from_index: LIST_SHARE }, { breaks: 1 }]
  const { value } = fitShares({ ...impact, falls_apart: impact.falls_apart.slice(0, MAX_SIZES) }, rounds, room)
  const each = ({ breaks = [] }: Partial<Impact>) => breaks.flatMap((link) => Array.from({ length: link.times ?? 1 }, () => link))
  const all = { ...impact, breaks: each(impact) }
  return { value, ...leftOutOf(impact.total, all, { ...value, breaks: each(value) }) }
}
