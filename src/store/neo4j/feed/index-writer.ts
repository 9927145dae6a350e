import { RouxError } from '../../../core/errors.ts'
import type {
  FileContent,
  FileInfo,
  FileRecord,
  IndexState,
  IndexWriter,
  KnownFile,
  NoteDescription,
  Outline,
} from '../../../core/index-writer.ts'
import { joinLinks } from '../note-properties.ts'
import { requireSameFolder } from '../questions.ts'
import { Connection } from '../server/connection.ts'
import type { Neo4jPlace } from '../server/place.ts'
import { quoted, withSchema, wordNames } from '../server/schema.ts'
import { currentFeeder } from './lease.ts'
import { openGeneration, rehearseGeneration } from './open-generation.ts'

/** Number of files to read per statement. */
const PART = 5_000

type Row = Readonly<Record<string, unknown>>

/** Each writer has its own connection, because writers are closed separately. */
export function connectIndexWriter(place: Neo4jPlace): IndexWriter {
  return openNeo4jIndexWriter(new Connection(place))
}

export function openNeo4jIndexWriter(connection: Connection): IndexWriter {
  let isRehearsed = false
  const { prepared, read } = withSchema(connection)
  async function* inParts<T extends Row>(returned: string, condition = 'true'): AsyncIterable<readonly T[]> {
    for (let after = -1; ; ) {
      const rows = await read<T & { readonly key: number }>(
        `MATCH (f:RouxFile&RouxNode {vault: $vault}) WHERE f.key > $after AND ${condition}
         RETURN f.key AS key, ${returned} ORDER BY f.key LIMIT toInteger($part)`,
        { after, part: PART },
      )
      if (rows.length > 0) yield rows
      if (rows.length < PART) return
      after = rows.at(-1)?.key ?? after
    }
  }
  const byKey = async <T>(keys: readonly number[], returned: string): Promise<ReadonlyMap<number, T>> => {
    const byKeys = new Map<number, T>()
    for (let from = 0; from < keys.length; from += PART) {
      const rows = await read<T & { readonly key: number }>(
        `UNWIND $keys AS key MATCH (f:RouxFile&RouxNode {vault: $vault, key: key}) RETURN f.key AS key, ${returned}`,
        { keys: keys.slice(from, from + PART) },
      )
      for (const row of rows) byKeys.set(row.key, row)
    }
    return byKeys
  }
  const infos = async (keys: readonly number[], more: string) =>
    await byKey<{ readonly info: string | null } & Row>(keys, `f.info AS info, f.hash AS hash, f.kind AS kind${more}`)
  return {
    async state() {
      const [state] = await read<{ readonly state: string | null; readonly generation: number } & Origin>(
        `MATCH (v:RouxVault {vault: $vault})
         RETURN v.state AS state, v.generation AS generation, v.folder AS folder, v.reading AS reading`,
      )
      if (state !== undefined && (await isOfOtherReading(connection, state))) return { ...NOTHING, generation: 0 }
      if (state?.state == null) return { ...NOTHING, generation: state?.generation ?? 0 }
      return { ...(JSON.parse(state.state) as Omit<IndexState, 'generation'>), generation: state.generation }
    },
    async *files() {
      for await (const rows of inParts<StoredKnown>('f.path AS path, f.excluded AS excluded, f.stat AS stat, f.style AS style')) {
        yield rows.map(({ stat, style, ...row }): KnownFile => ({ ...row, stat: JSON.parse(stat), style: JSON.parse(style) }))
      }
    },
    async *names() {
      const parts = inParts<Pick<FileRecord, 'key' | 'path' | 'aliases'> & { readonly pageTitle: string | null }>(
        'f.path AS path, f.aliases AS aliases, f.pageTitle AS pageTitle',
      )
      for await (const rows of parts) {
        yield rows.map(({ pageTitle, ...row }) => (pageTitle === null ? row : { ...row, pageTitle }))
      }
    },
    mentions: () => inParts('f.mentions AS mentions', 'size(f.mentions) > 0'),
    tags: () => inParts('f.tags AS tags', 'size(f.tags) > 0'),
    async hashes(keys) {
      const hashes = await byKey<{ readonly hash: string }>(keys, 'f.hash AS hash')
      return keys.map((key) => hashes.get(key)?.hash ?? '')
    },
    async contents(since) {
      const rows = await read<{ readonly generation: number; readonly files: readonly FileContent[] }>(
        `MATCH (v:RouxVault {vault: $vault}) WITH v.generation AS generation
         CALL () { MATCH (f:RouxFile {vault: $vault}) WHERE f.generation > $since
                   RETURN collect(f {.key, .path, .hash, .excluded}) AS files }
         CALL () { MATCH (g:RouxGone {vault: $vault}) WHERE g.key >= 0 AND $since > 0 AND g.generation > $since
                   RETURN collect({key: g.key, path: '', hash: '', excluded: false}) AS gone }
         RETURN generation, files + gone AS files`,
        { since },
      )
      return rows[0] ?? { generation: 0, files: [] }
    },
    async descriptions(keys) {
      const infosByKey = await infos(keys, ', f.title AS title, f.aliases AS aliases, f.tags AS tags')
      const descriptions = [...infosByKey].flatMap(([key, { info, kind, ...row }]) => {
        if (info === null) return []
        const { properties, headings, bodyStart } = JSON.parse(info) as FileInfo
        return [[key, { ...row, properties, headings, bodyStart } as unknown as NoteDescription] as const]
      })
      return new Map(descriptions)
    },
    async records(keys) {
      const records = await byKey<StoredRecord>(
        keys,
        `f {.key, .path, .kind, .stat, .hash, .excluded, .archived, .conflict, .title, .pageTitle, .aliases, .tags, .mentions, .style, .malformed}
           AS file, COLLECT { MATCH (f)-[l:ROUX_LINK]->() RETURN l.links } AS links`,
      )
      return keys.flatMap((key): readonly FileRecord[] => {
        const row = records.get(key)
        if (row === undefined) return []
        const { stat, style, pageTitle, ...file } = row.file
        const title = pageTitle === null ? undefined : { pageTitle }
        return [{ ...file, ...title, stat: JSON.parse(stat), style: JSON.parse(style), links: joinLinks(row.links) }]
      })
    },
    async outlines(keys) {
      const infosByKey = await infos(keys, '')
      return keys.map((key): Outline | undefined => {
        const { info, hash, kind } = infosByKey.get(key) ?? { info: null }
        if (info === null || kind !== 'note' || hash === '') return undefined
        const { headings, blocks } = JSON.parse(info) as FileInfo
        return { headings, blocks }
      })
    },
    async begin(base) {
      await prepared()
      return openGeneration(connection, base)
    },
    async tidy() {
      if (isRehearsed) return
      isRehearsed = true
      await prepared()
      await rehearseGeneration(connection)
    },
    async reset() {
      await prepared()
      await emptyVault(connection)
    },
    async close() {
      await connection.close()
    },
  }
}

interface Origin {
  readonly folder: string | null
  readonly reading: string | null
}

/**
 * If the notes were read with other settings, deletes the vault's data.
 * @throws RouxError `STORE_UNAVAILABLE` if the data is from another folder
 */
async function isOfOtherReading(connection: Connection, { folder, reading }: Origin): Promise<boolean> {
  const { origin } = connection
  if (origin === undefined || folder === null || reading === null) return false
  requireSameFolder(connection, folder)
  if (reading === origin.reading) return false
  await emptyVault(connection)
  return true
}

const NOTHING = { outside: [], nextKey: 0, complete: false }

interface StoredKnown extends Row, Pick<KnownFile, 'key' | 'path' | 'excluded'> {
  readonly stat: string
  readonly style: string
}

interface StoredRecord {
  readonly file: Omit<FileRecord, 'links' | 'stat' | 'style' | 'pageTitle' | 'info'> & {
    readonly stat: string
    readonly style: string
    readonly pageTitle: string | null
  }
  readonly links: readonly string[]
}

/**
 * Patterns for all nodes of a vault except the vault's own. They cover every indexed property, so other vaults are not scanned.
 */
export const OF_SEARCH: readonly string[] = [
  "(n:RouxVectors {vault: $vault}) WHERE n.embedder >= '' AND n.key >= 0",
  "(n:RouxEmbedder {vault: $vault}) WHERE n.embedder >= ''",
  '(n:RouxWords {vault: $vault}) WHERE n.key >= 0',
]

const OF_VAULT: readonly string[] = [
  '(n:RouxNode {vault: $vault}) WHERE n.key >= 0',
  "(n:RouxMissing {vault: $vault}) WHERE n.idKey >= ''",
  ...OF_SEARCH,
  '(n:RouxGone {vault: $vault}) WHERE n.key >= 0',
  '(n:RouxCommit {vault: $vault}) WHERE n.generation >= 0',
  "(n:RouxResult {vault: $vault}) WHERE n.name >= '' AND n.part >= 0",
  ...['RouxSearch', 'RouxFeeder', 'RouxPending'].map((label) => `(n:${label} {vault: $vault})`),
]

const DELETED = 2_000

/** Deletes nodes and their vectors. */
export async function deleteAll(connection: Connection, patterns: readonly string[], parameters: Row = {}): Promise<void> {
  const { vault } = connection
  const counts = patterns.map((_, at) => `count${at}`)
  const steps = patterns.map(
    (pattern, at) => `CALL () { MATCH ${pattern} WITH n LIMIT ${DELETED} OPTIONAL MATCH (n)<-[:ROUX_PART]-(p)
                                DETACH DELETE p, n RETURN count(DISTINCT n) AS ${counts[at]} }`,
  )
  const statement = `${steps.join('\n')} RETURN [${counts.join(', ')}] AS deleted`
  for (;;) {
    const [row] = await connection.write<{ readonly deleted: readonly number[] }>(statement, { vault, ...parameters })
    if (row?.deleted.some((count) => count === DELETED) !== true) return
  }
}

/** Deletes one vault and nothing else. */
export async function removeVault(connection: Connection): Promise<void> {
  await connection.write(`DROP INDEX ${quoted(wordNames(connection.vault).wordIndex)} IF EXISTS`)
  await emptyVault(connection)
  await deleteAll(connection, ["(n:RouxDecision {vault: $vault}) WHERE n.kind >= '' AND n.of >= ''"])
}

/** Deletes the vault's data, but keeps the full-text index, which the next feed needs. */
export async function emptyVault(connection: Connection): Promise<void> {
  const { vault } = connection
  // The vault is marked as incomplete first, so readers do not mistake the remaining data for the whole vault.
  await connection.write(
    'MATCH (v:RouxVault {vault: $vault}) SET v.complete = false, v.state = null, v.generation = v.generation + 1',
    { vault },
  )
  // The mark `indexed` is removed before the indexes. An interruption must not leave a marked embedder without an index.
  await connection.write('MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > "" REMOVE e.indexed', { vault })
  const [index] = await connection
    .read<{ readonly names: readonly string[] }>(
      `SHOW VECTOR INDEXES YIELD name, labelsOrTypes
     WHERE labelsOrTypes[0] IN COLLECT { MATCH (e:RouxEmbedder {vault: $vault}) UNWIND [e.chunkLabel, e.nameLabel] AS label RETURN label }
     RETURN collect(name) AS names`,
      { vault },
    )
    .catch(() => [])
  for (const name of index?.names ?? []) await connection.write(`DROP INDEX ${quoted(name)} IF EXISTS`)
  await deleteAll(connection, OF_VAULT)
  await deleteAll(connection, ['(n:RouxVault {vault: $vault})'])
}

/** @throws RouxError `VAULT_NOT_FOUND` if the vault has no data, `CONFLICT` while it is being fed */
export async function removeFedVault(connection: Connection): Promise<void> {
  const { vault } = connection
  const rows = await connection.read<{ readonly vault: string }>('MATCH (v:RouxVault) RETURN v.vault AS vault ORDER BY vault')
  const names = rows.map((row) => row.vault)
  if (!names.includes(vault)) {
    throw new RouxError('VAULT_NOT_FOUND', `The database has no vault "${vault}".`, {
      hint: names.length === 0 ? 'It has no vaults.' : `It has: ${names.join(', ')}.`,
      candidates: names,
    })
  }
  const feeder = await currentFeeder(connection)
  if (feeder !== undefined) {
    throw new RouxError('CONFLICT', `Another "roux feed" is writing the vault "${vault}" to the database: ${feeder}.`, {
      hint: 'Stop that "roux feed" first.',
    })
  }
  await removeVault(connection)
}
