import { latestOf, requireCommunity } from '../../app/find/communities.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { GAP_KINDS, type GapKind, gapKey } from '../../app/insight/gaps.ts'
import { linkKey } from '../../app/insight/suggest-links.ts'
import { requireNamed } from '../../app/names/known-node.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import { UsageError } from '../host.ts'
import { type Invocation, requireSettings, withCore } from '../session.ts'
import { applyLinks } from './apply-links.ts'

export function runDecision(
  tool: Tool,
  invocation: Invocation,
  args: () => Readonly<Record<string, unknown>>,
): Promise<number> | undefined {
  const { options } = invocation
  const text = (name: string): string | undefined => options.get(name) as string | undefined
  const [name, dismissed] = [text('name'), text('dismiss')]
  if (tool.name === 'map' && name !== undefined) return nameCommunity(invocation, name)
  if (tool.name === 'gaps' && dismissed !== undefined) return dismissGap(invocation, dismissed)
  if (tool.name === 'suggest_links' && dismissed !== undefined) return dismissLink(invocation, dismissed)
  if (tool.name === 'suggest_links' && options.get('apply') === true) return applyLinks(invocation, tool, args())
  return undefined
}

async function nameCommunity(invocation: Invocation, communityId: string): Promise<number> {
  const [label, extra] = invocation.positionals
  requireNoMore(extra)
  if (label === undefined)
    throw new UsageError(
      `The name for ${communityId} is missing.`,
      `roux map --name ${communityId} "Sync" names it; "" restores the automatic name.`,
    )
  await withCore(invocation, await requireSettings(invocation), async (core) => {
    const { insight } = await latestOf(core.insights, { isUntruncated: true })
    if (insight === undefined) throw new UsageError('There are no communities yet.', '"roux map" shows them.')
    const { id } = requireCommunity(insight.communities, communityId, core).community
    await core.insightState.setLabel(id, label.trim() === '' ? undefined : label.trim())
    invocation.printer.note(label.trim() === '' ? `${id} has its automatic name again.` : `${id} is called "${label.trim()}".`)
  })
  return 0
}

async function dismissGap(invocation: Invocation, gapId: string): Promise<number> {
  const [, kind = '', of = ''] = /^([a-z_]+):(.+)$/s.exec(gapId) ?? []
  if (!GAP_KINDS.includes(kind as GapKind)) {
    throw new UsageError(
      `"${gapId}" is not a gap.`,
      'Use the name that "roux gaps" shows, such as apart:c1,c4 or cut:ideas/garden.md.',
    )
  }
  requireNoMore(invocation.positionals[0])
  await withCore(invocation, await requireSettings(invocation), async (core) => {
    const isBack = await toggleDismissed(core, gapKey(kind as GapKind, of, core))
    invocation.printer.note(isBack ? `${gapId} is shown again.` : `${gapId} is hidden from now on.`)
  })
  return 0
}

async function dismissLink(invocation: Invocation, from: string): Promise<number> {
  const [to, extra] = invocation.positionals
  if (to === undefined)
    throw new UsageError('The second note of the link is missing.', 'Name both notes: --dismiss from.md to.md')
  requireNoMore(extra)
  await withCore(invocation, await requireSettings(invocation), async (core) => {
    const [source, target] = [await requireOne(core, from), await requireOne(core, to)]
    const isBack = await toggleDismissed(core, linkKey(source, target, core))
    invocation.printer.note(`A link from ${source} to ${target} is ${isBack ? 'suggested again' : 'not suggested again'}.`)
  })
  return 0
}

async function toggleDismissed({ insightState }: GraphCore, key: string): Promise<boolean> {
  const isBack = await insightState.restore(key)
  if (!isBack) await insightState.dismiss(key)
  return isBack
}

async function requireOne(core: GraphCore, name: string): Promise<NodeId> {
  return (await core.store.read((snapshot) => requireNamed(snapshot, core, name))).id
}

function requireNoMore(extra: string | undefined): void {
  if (extra === undefined) return
  throw new UsageError(`Unexpected argument "${extra}".`, 'Quote an argument that contains spaces.')
}
