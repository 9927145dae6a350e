import type { Settings } from '../../config/settings.ts'
import type { Host } from '../host.ts'

interface Tokens {
  readonly location: string
  readonly requests: number
  readonly input: number
  readonly output: number
  readonly estimated: number
  readonly failed: number
}

/** Today's token usage by server. Opens nothing if the settings name no server. */
export async function tokensToday(host: Host, settings: Settings): Promise<Readonly<Record<string, Tokens>>> {
  if (!settings.ai.enabled && settings.embedder.kind !== 'openai') return {}
  const { openAiDesk } = await host.compose()
  const desk = await openAiDesk(settings)
  try {
    const byServer = new Map<string, Tokens>()
    for (const row of desk.usage(1)) {
      const { location, requests, input, output, estimated, failed } = row
      const before = byServer.get(row.provider) ?? { requests: 0, input: 0, output: 0, estimated: 0, failed: 0 }
      byServer.set(row.provider, {
        location,
        requests: before.requests + requests,
        input: before.input + input,
        output: before.output + output,
        estimated: before.estimated + estimated,
        failed: before.failed + failed,
      })
    }
    return Object.fromEntries(byServer)
  } finally {
    desk.close()
  }
}
