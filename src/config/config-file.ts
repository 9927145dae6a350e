import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, messageOf, RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { invalid, type SettingsSource } from './given.ts'
import { changeStateFile } from './state-file.ts'

export const CONFIG_FILE = 'roux.config.yaml'

export interface ConfigFile extends SettingsSource, FileVersion {
  readonly path: string
}

// The maximum size of a settings file. Normal files have a few kilobytes, but an untrusted vault may contain a large one.
const MAX_BYTES = 1_000_000

/** Reads a settings file and collects errors in `problems`. If the file does not exist, the result is `undefined`. */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  let stat: ReturnType<typeof statSync>
  try {
    stat = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // The parent is a file, so there is no settings file.
    if (errorCode(error) === 'ENOTDIR') return undefined
    return unreadable(path, messageOf(error))
  }
  if (stat === undefined) return undefined
  if (!stat.isFile()) return unreadable(path, 'not a file')
  if (stat.size > MAX_BYTES) return unreadable(path, `it is larger than ${MAX_BYTES} bytes`)
  return readBytes(path)
}

async function readBytes(path: string): Promise<ConfigFile> {
  let bytes: Uint8Array
  let realPath: string
  try {
    bytes = readFileSync(path)
    realPath = realpathSync.native(path)
  } catch (error) {
    return unreadable(path, messageOf(error))
  }
  // The modules are imported lazily because most servers start without a settings file.
  const [{ createHash }, { parseConfig }] = await Promise.all([import('node:crypto'), import('./parse-config.ts')])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, realPath, sha256, ...parseConfig(path, new TextDecoder().decode(bytes)) }
}

function unreadable(path: string, why: string): ConfigFile {
  const problem = invalid(`${path} cannot be read: ${why}.`, 'Fix or remove it.')
  return { path, realPath: path, sha256: '', given: [], problems: [problem] }
}

/** A file's path and contents, to which trust applies. */
export interface FileVersion {
  readonly realPath: string
  readonly sha256: string
}

export interface TrustStore {
  isTrusted(file: FileVersion): boolean
  /** Trusts a file. @throws RouxError `PERMISSION_DENIED` if trust cannot be saved */
  trust(file: FileVersion): void
}

export function trustFile(stateFolder: string): string {
  return join(stateFolder, 'trust.json')
}

/** If `trust.json` is damaged, nothing is trusted. */
export function fileTrust(stateFolder: string): TrustStore {
  const path = trustFile(stateFolder)
  return {
    isTrusted: ({ realPath, sha256 }) => readTrusted(path).get(realPath) === sha256,
    trust({ realPath, sha256 }) {
      try {
        const files = () => Object.fromEntries([...readTrusted(path), [realPath, sha256]])
        changeStateFile(path, () => `${JSON.stringify({ files: files() }, undefined, 2)}\n`)
      } catch (cause) {
        if (cause instanceof RouxError) throw cause
        throw new RouxError('PERMISSION_DENIED', `The trusted folder could not be saved to ${path}: ${messageOf(cause)}.`, {
          hint: 'Make its folder writable, or set XDG_STATE_HOME to a writable folder.',
          cause,
        })
      }
    },
  }
}

function readTrusted(path: string): ReadonlyMap<string, string> {
  const trusted = quietly(() => JSON.parse(readFileSync(path, 'utf8')) as { files?: Record<string, string> } | null)
  return new Map(Object.entries(trusted?.files ?? {}))
}
