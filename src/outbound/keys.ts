import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'

/** Where a key is to be had, the first that is there. */
export interface KeySource {
  readonly value?: string
  readonly file?: string
  /** A program and its arguments. */
  readonly command?: readonly string[]
}

/** How long a program may take: it may ask its user for a password. ms */
const PATIENCE = 60_000

/** Reads the key; `undefined` where there is none. @throws RouxError `PROVIDER_ERROR` with what to do; none shows anything of a key */
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
    const found = statSync(file)
    // A pipe or a device may never end.
    if (!found.isFile()) throw Object.assign(new Error('no file'), { code: 'not a regular file' })
    mode = found.mode
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw fault(
      `The file of the key cannot be read: ${file} (${errorCode(error) ?? 'unknown'}).`,
      'Set ai.key_file to where it is.',
    )
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw fault(
      `The file of the key may be read by others: ${file}.`,
      `Say "chmod 600 ${file}", and give the key up if others were there.`,
    )
  }
  return text
}

async function run([program = '', ...args]: readonly string[]): Promise<string> {
  try {
    // Without a shell: what is set is what runs.
    return (await promisify(execFile)(program, args, { timeout: PATIENCE, maxBuffer: 100_000, encoding: 'utf8' })).stdout
  } catch (error) {
    // What it printed may hold the key.
    const { code, killed } = error as { readonly code?: unknown; readonly killed?: boolean }
    const why =
      killed === true ? 'took too long' : `failed (${typeof code === 'number' || typeof code === 'string' ? code : 'unknown'})`
    throw fault(
      `The program of ai.key_command, ${program}, ${why}.`,
      'Run it in a terminal to see why; it must print only the key.',
    )
  }
}

function checked(text: string, where: string): string {
  const key = text.trim()
  if (key !== '' && /^[\x21-\x7e]+$/.test(key)) return key
  throw fault(`${where} gives no key.`, 'A key is one word without spaces, alone.')
}

function fault(message: string, hint: string): RouxError {
  return new RouxError('PROVIDER_ERROR', message, { hint })
}
