import { requireCommunity } from '../../app/insight/find-community.ts'
import { GAP_KINDS, type GapKind, gapKey } from '../../app/insight/gaps.ts'
import { insightFor } from '../../app/insight/latest-insight.ts'
import type { Option } from '../arguments.ts'
import { type Invocation, requireSettings, withCore } from '../session.ts'
import { UsageError } from '../usage-error.ts'

/** What a person decides about a vault as a whole, by options of the commands that show it; no tool of a client has these. */
const DECISIONS: ReadonlyMap<
  string,
  { readonly option: Option; decide(invocation: Invocation, given: string): Promise<number> }
> = new Map([
  [
    'map',
    {
      option: {
        name: 'name',
        type: 'text',
        sentence: 'Call a community as you like, as in --name c4 "Sync"; without a text after it, as its notes say.',
      },
      decide: nameCommunity,
    },
  ],
  [
    'gaps',
    {
      option: {
        name: 'dismiss',
        type: 'text',
        sentence: 'Do not tell this gap again, as in --dismiss apart:c1,c4; once more takes that back.',
      },
      decide: dismissGap,
    },
  ],
])

/** The option of a tool's command that is no parameter of the tool. */
export function decisionOption(tool: string): readonly Option[] {
  const decision = DECISIONS.get(tool)
  return decision === undefined ? [] : [decision.option]
}

/** Does what such an option asks for; `undefined` where it is not given. */
export function runDecision(tool: string, invocation: Invocation): Promise<number> | undefined {
  const decision = DECISIONS.get(tool)
  const given = decision && invocation.options.get(decision.option.name)
  return typeof given === 'string' ? decision?.decide(invocation, given) : undefined
}

async function nameCommunity(invocation: Invocation, given: string): Promise<number> {
  const [label = '', extra] = invocation.positionals
  if (extra !== undefined)
    throw new UsageError(`"${extra}" is one word too many.`, 'Put quotes around words that belong together.')
  await withCore(invocation, await requireSettings(invocation), async (core) => {
    const { insight } = await insightFor(core, { whole: true })
    if (insight === undefined) throw new UsageError('There are no communities yet.', '"roux map" shows them.')
    const { id } = requireCommunity(insight.communities, given, core).community
    core.insightState.setLabel(id, label.trim() === '' ? undefined : label.trim())
    invocation.printer.note(label.trim() === '' ? `${id} is called as its notes say.` : `${id} is called "${label.trim()}".`)
  })
  return 0
}

async function dismissGap(invocation: Invocation, given: string): Promise<number> {
  const [, kind = '', of = ''] = /^([a-z_]+):(.+)$/s.exec(given) ?? []
  if (!GAP_KINDS.includes(kind as GapKind)) {
    throw new UsageError(
      `"${given}" names no gap.`,
      'Write what "roux gaps" shows behind it, such as apart:c1,c4 or cut:ideas/garden.md.',
    )
  }
  await withCore(invocation, await requireSettings(invocation), async ({ insightState }) => {
    const key = gapKey(kind as GapKind, of)
    const isBack = insightState.restore(key)
    if (!isBack) insightState.dismiss(key)
    invocation.printer.note(isBack ? `${given} is told again.` : `${given} is not told again.`)
  })
  return 0
}
