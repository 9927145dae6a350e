import { existsSync } from 'node:fs'
import { userFolders } from '../config/environment.ts'
import { AiState, aiStateFile } from '../outbound/consent-ledger.ts'
import { Gate, type GateSettings } from '../outbound/gate.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'

export interface OpenGate {
  readonly gate: Gate
  /** Opens the ledger. @throws RouxError `PROVIDER_ERROR` */
  state(): AiState
  close(): void
}

export function openGate(settings: () => GateSettings): OpenGate {
  let opened: AiState | undefined
  const state = (): AiState => {
    opened ??= new AiState(aiStateFile(userFolders().state), (path) => openSqlite(path))
    return opened
  }
  // If there is no file, there is no consent, because the first consent creates it.
  const hasConsent = (origin: string): boolean =>
    existsSync(aiStateFile(userFolders().state)) && state().consentOf(origin) !== undefined
  return {
    gate: new Gate({ settings, state, hasConsent }),
    state,
    close() {
      opened?.close()
      opened = undefined
    },
  }
}
