import type { LoadedVault } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Host } from '../host.ts'
import type { Finding } from './checks.ts'

/** Whether the chat model may be asked. Nothing is said where that is off; no connection is opened, "roux ai test" does that. */
export async function checkAi(host: Host, { settings, aiKey }: LoadedVault): Promise<readonly Finding[]> {
  const { ai } = settings
  if (!ai.enabled) return []
  if (ai.provider === 'none' || ai.model === '') {
    return [
      {
        check: 'ai',
        state: 'warn',
        message: 'ai.enabled is true, but no chat model is set',
        hint: 'Set ai.provider and ai.model.',
      },
    ]
  }
  const { openAiDesk } = await host.compose()
  const desk = await openAiDesk(settings, aiKey)
  try {
    const chat = (await desk.models()).find(({ use }) => use === 'chat')
    if (chat === undefined) return []
    const { origin, location, isAllowed, hasConsent } = chat
    const where = location === 'local' ? 'on this computer' : `on another computer, ${origin}`
    if (isAllowed && hasConsent) return [{ check: 'ai', state: 'ok', message: `${chat.model}, ${where}; "roux ai test" asks it` }]
    const says = [
      ...(hasConsent ? [] : [`"roux ai allow ${origin}"`]),
      ...(isAllowed ? [] : [`ai.allow_remote: ["${new URL(origin).host}"]`]),
    ]
    return [
      {
        check: 'ai',
        state: 'warn',
        message: `${chat.model} is ${where}, and may not be asked`,
        hint: `It may after ${says.join(' and ')}.`,
      },
    ]
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [{ check: 'ai', state: 'fail', message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }]
  } finally {
    desk.close()
  }
}
