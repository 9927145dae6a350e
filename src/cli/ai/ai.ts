import type { AiDesk, NamedModel } from '../../compose/index.ts'
import { type LoadedVault, loadVaults } from '../../config/load-vaults.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import { isLoopbackAddress } from '../../http/host-and-origin.ts'
import { interruptible, UsageError } from '../host.ts'
import { type Invocation, settingsInput, withDesk } from '../session.ts'

interface Run {
  readonly invocation: Invocation
  readonly desk: AiDesk
  readonly loaded: LoadedVault
  /** The positional argument that follows the subcommand. */
  readonly address: string | undefined
}

const ACTIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = { status, allow, revoke, test }

/** Shows and changes which model servers may receive data from this computer. */
export function run(invocation: Invocation): Promise<number> {
  return interruptible(invocation.host, (signal) => act({ ...invocation, signal }))
}

async function act(invocation: Invocation): Promise<number> {
  const [word = 'status', address] = invocation.positionals
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined
  if (action === undefined) {
    const names = Object.keys(ACTIONS)
    throw new UsageError(
      `"roux ai ${word}" is not a command.`,
      didYouMean(nearest(word, names)) ?? `Use one of ${names.join(', ')}.`,
    )
  }
  const needsAddress = action === allow || action === revoke
  if (needsAddress !== (address !== undefined)) {
    const hint = needsAddress ? `Run: roux ai ${word} https://api.openai.com` : undefined
    throw new UsageError(needsAddress ? 'The address is missing.' : `Unexpected argument "${address}".`, hint)
  }
  const { vaults } = await loadVaults(settingsInput(invocation))
  const [loaded] = vaults
  await withDesk(invocation.host, loaded, (desk) => action({ invocation, desk, loaded, address }))
  return 0
}

async function status({ invocation: { printer }, desk, loaded }: Run): Promise<void> {
  const { enabled, allow_remote } = loaded.settings.ai
  const models = await desk.models()
  const consents = desk.consents()
  const budget = await desk.budget()
  const allowedServers = consents.map(({ origin, time }) => ({ origin, since: new Date(time).toISOString() }))
  const lines = [
    `Asking a chat model is ${enabled ? 'on' : 'off (ai.enabled)'}.`,
    ...(models.length === 0 ? ['No model server is configured: nothing leaves this process.'] : models.map(describe)),
    ...allowedServers.map(({ origin, since }) => `Allowed: ${origin}, since ${since.slice(0, 10)}`),
    ...(budget === undefined ? [] : [`Tokens today: ${budget.used} of ${budget.limit}`]),
  ]
  const facts = { enabled, allow_remote, models, allowed: allowedServers, ...(budget === undefined ? {} : { budget }) }
  await printer.answer(facts, { render: () => `${lines.join('\n')}\n` })
}

function describe({ use, model, baseUrl, location, origin, isAllowed, hasConsent }: NamedModel): string {
  const where = location === 'local' ? 'on this computer' : 'on another computer'
  const missing = [
    ...(isAllowed ? [] : ['ai.allow_remote does not name it']),
    ...(hasConsent ? [] : [`"roux ai allow ${origin}" has not been run`]),
  ]
  const sentence = missing.length === 0 ? 'it may be used' : `not used: ${missing.join(', ')}`
  return `${use === 'chat' ? 'Chat' : 'Embedding'}: ${model} at ${baseUrl}, ${where}; ${sentence}`
}

async function allow({ invocation: { printer }, desk, loaded, address = '' }: Run): Promise<void> {
  const origin = desk.allow(address)
  const { host, hostname } = new URL(origin)
  const { allow_remote: hosts } = loaded.settings.ai
  const isHere = isLoopbackAddress(hostname)
  const isSet = isHere || (typeof hosts === 'boolean' ? hosts : hosts.includes(host) || hosts.includes(hostname))
  const more = isHere
    ? 'A server on this computer needs no consent, except for models it runs elsewhere (names that end in -cloud).\n'
    : isSet
      ? ''
      : `Also set ai.allow_remote: ["${host}"] in your settings.\n`
  const message = `Allowed ${origin}: text from your notes may be sent to models there. To undo this: "roux ai revoke ${origin}".\n${more}`
  await printer.answer({ origin, allowed: true, set: isSet }, { render: () => message })
}

async function revoke({ invocation: { printer }, desk, address = '' }: Run): Promise<void> {
  const { origin, was } = desk.revoke(address)
  const message = was ? `Nothing is sent to ${origin} any more.\n` : `${origin} was not allowed.\n`
  await printer.answer({ origin, allowed: false, was }, { render: () => message })
}

async function test({ invocation: { printer, signal }, desk }: Run): Promise<void> {
  const { answer, milliseconds, usage } = await desk.test(signal)
  if (printer.json) return await printer.answer({ answer, milliseconds, usage })
  const tokens = `${usage.input} + ${usage.output} tokens${usage.estimated ? ', estimated' : ''}`
  await printer.answer({ answer, milliseconds, tokens })
}
