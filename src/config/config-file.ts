import { readFileSync, realpathSync, statSync } from 'node:fs'
import { errorCode, messageOf } from '../core/errors.ts'
import { invalid, type SettingsSource } from './given.ts'
import type { FileVersion } from './trust.ts'

export const CONFIG_FILE = 'roux.config.yaml'

export interface ConfigFile extends SettingsSource, FileVersion {
  readonly path: string
}

// Settings files are a few kilobytes. The limit prevents an untrusted vault from making us parse large files.
const MAX_BYTES = 1_000_000

/** Reads a settings file and collects errors in `problems`. Returns `undefined` if the file does not exist. */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  let stat: ReturnType<typeof statSync>
  try {
    stat = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // The parent is a file, so the settings file cannot exist.
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
  // Imported lazily because most servers start without a settings file.
  const [{ createHash }, { parseConfig }] = await Promise.all([import('node:crypto'), import('./parse-config.ts')])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, realPath, sha256, ...parseConfig(path, new TextDecoder().decode(bytes)) }
}

function unreadable(path: string, why: string): ConfigFile {
  const problem = invalid(`${path} cannot be read: ${why}.`, 'Fix or remove it.')
  return { path, realPath: path, sha256: '', given: [], problems: [problem] }
}
