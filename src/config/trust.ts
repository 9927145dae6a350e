import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, RouxError } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { changeStateFile } from './state-file.ts'

/** A specific version of a settings file. Trust applies to its path and contents, and ends if either changes. */
export interface FileVersion {
  readonly realPath: string
  /** Hash of the file's bytes, in hexadecimal. */
  readonly sha256: string
}

/** Records which settings files the user trusts. */
export interface TrustStore {
  isTrusted(file: FileVersion): boolean
  /** @throws RouxError `PERMISSION_DENIED` if trust cannot be recorded */
  trust(file: FileVersion): void
}

export function trustFile(stateFolder: string): string {
  return join(stateFolder, 'trust.json')
}

/** Opens the trust store in `trust.json` in the state folder. If the file is damaged, nothing is trusted. */
export function fileTrust(stateFolder: string): TrustStore {
  const path = trustFile(stateFolder)
  return {
    isTrusted: ({ realPath, sha256 }) => readTrusted(path).get(realPath) === sha256,
    trust({ realPath, sha256 }) {
      try {
        changeStateFile(path, () => trustedText(new Map([...readTrusted(path), [realPath, sha256]])))
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

function trustedText(files: ReadonlyMap<string, string>): string {
  return `${JSON.stringify({ files: Object.fromEntries(files) }, undefined, 2)}\n`
}
