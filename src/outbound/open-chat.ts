import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ChatProvider, KeySource } from '../core/chat.ts'
import { errorCode, providerError } from '../core/errors.ts'
import type { ChatDependencies } from './chat/chat-server.ts'
import type { Gate, Place } from './gate.ts'
import { askableUrl } from './http-client.ts'

export interface ChatModelSettings {
  readonly provider: 'none' | 'openai' | 'anthropic'
  /** The base URL, or an empty string for the provider's default address. */
  readonly base_url: string
  readonly model: string
  /** The timeout in seconds. */
  readonly timeout: number
}

const DEFAULT_URLS = { openai: 'http://127.0.0.1:11434/v1', anthropic: 'https://api.anthropic.com/v1' } as const

/** Returns the place of the chat model. @throws RouxError `PROVIDER_ERROR` with the setting to change */
export function chatPlace({ provider, base_url, model }: ChatModelSettings): Place {
  if (provider === 'none') {
    throw providerError(
      'No chat model is configured.',
      'Set ai.provider and ai.model: docs/ai.md has examples for common servers.',
    )
  }
  if (model === '') throw providerError('The chat model has no name.', 'Set `ai.model` to the name of a model on the server.')
  const baseUrl = askableUrl(base_url === '' ? DEFAULT_URLS[provider] : base_url)
  if (baseUrl !== undefined) return { baseUrl, model }
  throw providerError(
    'The address of the model server is not valid.',
    'Set `ai.base_url` to something like http://127.0.0.1:11434/v1, without user name, key or query string.',
  )
}

/** Returns a provider, but does not open a connection. @throws RouxError from `chatPlace`, `Gate.admit` and `readKey` */
export async function openChatProvider(
  settings: ChatModelSettings,
  { gate, key, ...dependencies }: { readonly gate: Gate; readonly key: KeySource | undefined } & ChatDependencies,
): Promise<ChatProvider> {
  const place = chatPlace(settings)
  const { location, meterFor } = await gate.admit(place)
  const apiKey = await readKey(key)
  const server = { ...place, apiKey, location, timeoutMs: settings.timeout * 1_000, meterFor }
  const { openAnthropic, openOpenAi } = await import('./chat/dialects.ts')
  return settings.provider === 'anthropic' ? openAnthropic(server, dependencies) : openOpenAi(server, dependencies)
}

/** The timeout in milliseconds. It is long, because the command may ask the user for a password. */
const COMMAND_TIMEOUT = 60_000

/** @returns `undefined` if no key is configured @throws RouxError `PROVIDER_ERROR`, without any part of the key */
export async function readKey(source: KeySource = {}): Promise<string | undefined> {
  const { value, file, command } = source
  if (value !== undefined) return checked(value, 'The variable ROUX_AI_API_KEY')
  if (file !== undefined) return checked(readPrivate(file), file)
  return command === undefined ? undefined : checked(await run(command), `The program ${command[0]}`)
}

function readPrivate(file: string): string {
  let mode: number
  let text: string
  try {
    const stats = statSync(file)
    // Only regular files are read, because a pipe or device might block forever.
    if (!stats.isFile()) throw Object.assign(new Error('no file'), { code: 'not a regular file' })
    mode = stats.mode
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw providerError(
      `The key file cannot be read: ${file} (${errorCode(error) ?? 'unknown'}).`,
      'Set ai.key_file to its path.',
    )
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw providerError(
      `Other users can read the key file: ${file}.`,
      `Run "chmod 600 ${file}", and replace the key if others may have read it.`,
    )
  }
  return text
}

async function run([program = '', ...args]: readonly string[]): Promise<string> {
  try {
    // There is no shell, so only the configured program runs.
    return (await promisify(execFile)(program, args, { timeout: COMMAND_TIMEOUT, maxBuffer: 100_000, encoding: 'utf8' })).stdout
  } catch (error) {
    // The error must not include the output, which may contain the key.
    const { code, killed } = error as { readonly code?: unknown; readonly killed?: boolean }
    const why =
      killed === true ? 'took too long' : `failed (${typeof code === 'number' || typeof code === 'string' ? code : 'unknown'})`
    throw providerError(
      `The command in ai.key_command, ${program}, ${why}.`,
      'Run it in a terminal to see why; it must print only the key.',
    )
  }
}

function checked(text: string, where: string): string {
  const key = text.trim()
  if (key !== '' && /^[\x21-\x7e]+$/.test(key)) return key
  throw providerError(`${where} did not provide a key.`, 'It must contain only the key, without spaces.')
}
