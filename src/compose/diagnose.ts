import type { Settings } from '../config/settings.ts'
import { type EmbedderFinding, examineEmbedder } from '../embed/open-embedder.ts'
import {
  examineIndex,
  examineSearchIndex,
  type IndexCondition,
  type SqliteCondition,
  sqliteVersion,
} from '../store/embedded/examine.ts'
import type { Location } from '../store/embedded/location.ts'
import { loadHnswAddon } from '../store/embedded/vectors/hnsw-graph.ts'
import type { DatabaseFinding } from '../store/neo4j/server/examine.ts'
import { embedderDependencies, embedderSettings, gatePassage } from '../workers/open-embedding.ts'
import { connectionTo, neo4jPlace } from './engine.ts'
import { indexFile, realRoot, searchIndexFile } from './index-files.ts'
import type { OpenOptions } from './open-options.ts'

export async function diagnose(
  settings: Settings,
  options: Pick<OpenOptions, 'apiKey' | 'name' | 'stored' | 'storePassword'> = {},
): Promise<Diagnosis> {
  const { apiKey } = options
  const { admit, close } = gatePassage(() => settings.ai)
  const file = indexFile(settings)
  const searchFile = searchIndexFile(file)
  const sqlite = sqliteVersion()
  const examine = (path: string, examineAt: (location: Location) => IndexCondition): IndexDiagnosis =>
    sqlite.message === undefined ? { file: path, ...examineAt({ kind: 'file', path }) } : { file: path, state: 'absent' }
  const hnsw = settings.vectors.index === 'hnsw' ? await loadHnswAddon() : undefined
  const embedder = await examineEmbedder(embedderSettings(settings.embedder, apiKey), { ...embedderDependencies(), admit })
  close()
  return {
    sqlite,
    index: examine(file, examineIndex),
    searchIndex: examine(searchFile, examineSearchIndex),
    embedder,
    ...(hnsw?.reason === undefined ? {} : { hnsw: hnsw.reason }),
    ...(settings.store.type === 'neo4j' ? { database: await examineStore(settings, options) } : {}),
  }
}

async function examineStore(
  settings: Settings,
  { name, stored, storePassword }: Pick<OpenOptions, 'name' | 'stored' | 'storePassword'>,
): Promise<readonly DatabaseFinding[]> {
  const { examineDatabase } = await import('../store/neo4j/server/examine.ts')
  const root = realRoot(settings.vault.path)
  const embedderName = stored ?? name
  const options = {
    ...(embedderName === undefined ? {} : { name: embedderName }),
    ...(storePassword === undefined ? {} : { storePassword }),
  }
  const { origin, ...place } = neo4jPlace(settings, { ...options, root, file: indexFile(settings, root) })
  // A vault that is served without its folder was indexed from another folder, so its origin is not checked.
  const connection = await connectionTo(stored !== undefined || origin === undefined ? place : { ...place, origin })
  try {
    return await examineDatabase(connection)
  } finally {
    await connection.close()
  }
}

export interface Diagnosis {
  readonly sqlite: SqliteCondition
  readonly index: IndexDiagnosis
  readonly searchIndex: IndexDiagnosis
  readonly embedder: readonly EmbedderFinding[]
  readonly hnsw?: string
  readonly database?: readonly DatabaseFinding[]
}

export interface IndexDiagnosis {
  readonly file: string
  /** `foreign`: created by another program. `newer`, `older`: created by another version of Roux. */
  readonly state: 'absent' | 'present' | 'damaged' | 'foreign' | 'newer' | 'older'
  readonly message?: string
}
