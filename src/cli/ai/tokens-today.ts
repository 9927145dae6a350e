import type { Settings } from '../../config/settings.ts'
import type { UsageRow } from '../../core/model-usage.ts'
import type { Host } from '../host.ts'
import { withDesk } from '../session.ts'

type Tokens = Pick<UsageRow, 'location' | 'requests' | 'input' | 'output' | 'estimated' | 'failed'>

const COUNTED = ['requests', 'input', 'output', 'estimated', 'failed'] as const

/** Returns the tokens used today, by server. Does not open the ledger if no server is configured. */
export async function tokensToday(host: Host, settings: Settings): Promise<Readonly<Record<string, Tokens>>> {
  if (!settings.ai.enabled && settings.embedder.kind !== 'openai') return {}
  const byServer = new Map<string, Tokens>()
  for (const row of await withDesk(host, { settings }, (desk) => desk.usage(1))) {
    const before = byServer.get(row.provider)
    const sums = COUNTED.map((name) => [name, (before?.[name] ?? 0) + row[name]])
    byServer.set(row.provider, { location: row.location, ...Object.fromEntries(sums) })
  }
  return Object.fromEntries(byServer)
}
