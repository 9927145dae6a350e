import type { NodeId } from '../../../core/ids.ts'
import type { Batch, FileRecord, KnownFile, OpenGeneration, VaultState } from '../../../core/index-writer.ts'
import type { GraphChanges } from '../../../core/insight/graph-changes.ts'
import { wantedKey } from '../../note-facts.ts'
import { type Edge, edgesOf, idKeyOf, propertiesOf, shortHash, sortable } from '../note-properties.ts'
import type { Connection, OpenTransaction } from '../server/connection.ts'
import { packedChanges } from '../shared-state.ts'

const ROWS = 5_000
/** The number of generations between checks of the log's size. */
const PRUNED_AFTER = 50
const DAY = 86_400_000

/**
 * Opens a generation that locks the vault's node when it writes, so only one of several concurrent writers succeeds. Neo4j makes
 * a transaction visible piece by piece; meanwhile, `RouxPending` holds the new generation.
 */
export function openGeneration(connection: Connection, base: number): OpenGeneration {
  const writing = new Writing(connection, base)
  return { put: (batch) => writing.put(batch), commit: (state, changes) => writing.commit(state, changes) }
}

/** Runs the statements for a small change on no rows, so the database plans them. Nothing is written. */
export async function rehearseGeneration(connection: Connection): Promise<void> {
  await new Writing(connection, 1, '').rehearse()
}

class Writing {
  readonly #connection: Connection
  readonly #base: number
  readonly #vault: string
  /** True while the statements run on no rows. */
  #isRehearsal = false
  #transaction: OpenTransaction | undefined
  /** True if another writer was first. In that case, nothing is written. */
  #isLate = false
  #isChanged = false
  /** The nodes whose in-degree (for `#linking`, out-degree) may have changed. */
  readonly #linkedTo = new Set<number>()
  readonly #linking = new Set<number>()
  readonly #missing = new Set<string>()
  readonly #removedKeys = new Set<number>()

  constructor(connection: Connection, base: number, vault = connection.vault) {
    this.#connection = connection
    this.#base = base
    this.#vault = vault
  }

  async rehearse(): Promise<void> {
    const transaction = await this.#connection.open()
    this.#transaction = transaction
    this.#isRehearsal = true
    try {
      await this.#lock(transaction)
      await this.#write(NOTHING)
      await this.#count()
      await this.#record(transaction, { outside: [], nextKey: 0, complete: false, lineage: '' })
    } finally {
      await transaction.rollback()
    }
  }

  async #open(): Promise<OpenTransaction | undefined> {
    if (this.#isLate) return undefined
    if (this.#transaction !== undefined) return this.#transaction
    const { origin } = this.#connection
    // A separate transaction, because the announcement would otherwise wait for the generation's transaction.
    await this.#connection.write(
      `MERGE (v:RouxVault {vault: $vault}) ON CREATE SET v.generation = 0, v.folder = $folder, v.reading = $reading
       MERGE (p:RouxPending {vault: $vault}) ON CREATE SET p.generation = 0, p.at = 0`,
      { vault: this.#vault, folder: origin?.folder ?? null, reading: origin?.reading ?? null },
    )
    const transaction = await this.#connection.open()
    this.#transaction = transaction
    if ((await this.#lock(transaction)) === this.#base) return transaction
    this.#isLate = true
    this.#transaction = undefined
    await transaction.rollback()
    return undefined
  }

  async #lock(transaction: OpenTransaction): Promise<number | undefined> {
    const [row] = await transaction.run<{ readonly generation: number }>(
      'MATCH (v:RouxVault {vault: $vault}) SET v.locked = randomUUID() RETURN v.generation AS generation',
      { vault: this.#vault },
    )
    return row?.generation
  }

  async #runEach<R = never>(cypher: string, rows: readonly unknown[]): Promise<readonly R[]> {
    const results: R[] = []
    const minRows = this.#isRehearsal ? 1 : rows.length
    for (let from = 0; from < minRows; from += ROWS) {
      const part = rows.slice(from, from + ROWS)
      const found = await this.#transaction?.run<R>(`UNWIND $rows AS row ${cypher}`, {
        rows: part,
        vault: this.#vault,
        generation: this.#base + 1,
      })
      results.push(...(found ?? []))
    }
    return results
  }

  async put(batch: Batch): Promise<void> {
    if ((await this.#open()) === undefined) return
    await this.#write(batch)
  }

  async #write(batch: Batch): Promise<void> {
    const { put, remove, touch } = batch
    if (put.length + remove.length > 0) this.#isChanged = true
    await this.#remove(remove)
    if (put.length > 0 || remove.length > 0 || this.#isRehearsal) await this.#place(put, batch)
    await this.#touch(touch)
  }

  async #remove(keys: readonly number[]): Promise<void> {
    await this.#unlink(keys)
    await this.#noteSources(keys)
    await this.#runEach(
      `MATCH (f:RouxFile&RouxNode {vault: $vault, key: row})
       MERGE (g:RouxGone {vault: $vault, key: row}) SET g.generation = $generation
       SET f = {vault: $vault, key: row} REMOVE f:RouxFile, f:RouxListed`,
      keys,
    )
    for (const key of keys) this.#removedKeys.add(key)
  }

  async #unlink(keys: readonly number[]): Promise<void> {
    const ends = await this.#runEach<{ readonly key: number | null; readonly id: string | null }>(
      `MATCH (:RouxFile&RouxNode {vault: $vault, key: row})-[l:ROUX_LINK]->(t) WITH l, t.key AS key, t.id AS id DELETE l
       RETURN DISTINCT key, CASE WHEN key IS NULL THEN id END AS id`,
      keys,
    )
    for (const { key, id } of ends) {
      if (key !== null) this.#linkedTo.add(key)
      else if (id !== null) this.#missing.add(id)
    }
  }

  /** The degrees of these files may have changed. */
  async #noteSources(keys: readonly number[]): Promise<void> {
    const sources = await this.#runEach<{ readonly key: number }>(
      'MATCH (s:RouxFile)-[:ROUX_LINK]->(:RouxNode {vault: $vault, key: row}) RETURN DISTINCT s.key AS key',
      keys,
    )
    for (const { key } of sources) this.#linking.add(key)
  }

  async #place(records: readonly FileRecord[], batch: Batch): Promise<void> {
    const ids = batch.ids()
    const owner = shortHash(this.#vault)
    const keys = records.map(({ key }) => key)
    const states = await this.#runEach<{ readonly key: number; readonly listed: boolean }>(
      'MATCH (f:RouxFile&RouxNode {vault: $vault, key: row}) RETURN f.key AS key, f:RouxListed AS listed',
      this.#base === 0 ? [] : keys,
    )
    const listedBefore = new Map(states.map(({ key, listed }) => [key, listed]))
    await this.#unlink(states.map(({ key }) => key))
    // All ids are cleared first, because files may swap ids.
    await this.#runEach(
      'MATCH (f:RouxFile&RouxNode {vault: $vault, key: row.key}) SET f.id = null',
      this.#base === 0 ? [] : ids.files,
    )
    await this.#runEach(
      `MERGE (f:RouxNode {vault: $vault, key: row.key})
       SET f:RouxFile, f += row.properties, f.generation = $generation,
           f.inDegree = coalesce(f.inDegree, 0), f.outDegree = coalesce(f.outDegree, 0),
           f.pagerank = coalesce(f.pagerank, 0.0), f.betweenness = coalesce(f.betweenness, 0.0)
       FOREACH (_ IN CASE WHEN row.listed THEN [1] ELSE [] END | SET f:RouxListed)
       FOREACH (_ IN CASE WHEN row.listed THEN [] ELSE [1] END | REMOVE f:RouxListed)`,
      records.map((record) => ({ key: record.key, listed: isListed(record), properties: propertiesOf(record, owner) })),
    )
    await this.#runEach('MATCH (g:RouxGone {vault: $vault, key: row}) DELETE g', this.#base === 0 ? [] : keys)
    await this.#runEach(
      'MATCH (f:RouxFile&RouxNode {vault: $vault, key: row.key}) SET f.id = row.id, f.sort = row.sort, f.twins = row.twins, f.generation = $generation',
      ids.files.map(({ key, id, twins }) => ({ key, id, sort: sortable(id), twins })),
    )
    // If a note becomes listed or unlisted, the degrees of notes with links to it change.
    const turned = records.filter((record) => (listedBefore.get(record.key) ?? false) !== isListed(record)).map(({ key }) => key)
    await this.#noteSources(turned)
    await this.#link(records, ids.missing)
    for (const key of keys) {
      this.#linking.add(key)
      this.#linkedTo.add(key)
      this.#removedKeys.delete(key)
    }
  }

  async #link(records: readonly FileRecord[], missing: (name: string) => string): Promise<void> {
    const toFiles: (Edge & { readonly from: number; readonly to: number })[] = []
    const toMissing: (Edge & { readonly from: number; readonly to: string })[] = []
    const nameById = new Map<string, string>()
    for (const { key, links } of records) {
      for (const { to } of links) if (typeof to === 'string' && !nameById.has(missing(to))) nameById.set(missing(to), to)
      for (const [to, edge] of edgesOf(links, missing)) {
        if (typeof to === 'number') toFiles.push({ ...edge, from: key, to })
        else toMissing.push({ ...edge, from: key, to })
      }
    }
    for (const { to } of toFiles) this.#linkedTo.add(to)
    for (const id of nameById.keys()) this.#missing.add(id)
    await this.#runEach(
      `MERGE (m:RouxMissing {vault: $vault, idKey: row.idKey})
       ON CREATE SET m:RouxNode, m.id = row.id, m.title = row.title, m.kind = 'missing', m.folded = row.id, m.sort = row.sort,
                     m.sortTitle = row.sortTitle, m.means = row.means, m.inDegree = 0, m.outDegree = 0`,
      [...nameById].map(([id, title]) => ({
        id,
        idKey: idKeyOf(id),
        title,
        sort: sortable(id),
        sortTitle: sortable(title),
        means: wantedKey(title) ?? null,
      })),
    )
    const link = `CREATE (f)-[:ROUX_LINK {count: row.count, kinds: row.kinds, types: row.types, links: row.links}]->(t)`
    await this.#runEach(
      `MATCH (f:RouxNode {vault: $vault, key: row.from}) MERGE (t:RouxNode {vault: $vault, key: row.to}) ${link}`,
      toFiles,
    )
    await this.#runEach(
      `MATCH (f:RouxNode {vault: $vault, key: row.from}) MATCH (t:RouxMissing {vault: $vault, idKey: row.to}) ${link}`,
      toMissing.map((edge) => ({ ...edge, to: idKeyOf(edge.to) })),
    )
  }

  async #touch(touch: readonly KnownFile[]): Promise<void> {
    await this.#runEach(
      'MATCH (f:RouxFile&RouxNode {vault: $vault, key: row.key}) SET f.stat = row.stat, f.style = row.style',
      touch.map(({ key, stat, style }) => ({ key, stat: JSON.stringify(stat), style: JSON.stringify(style) })),
    )
  }

  async commit(state: VaultState, changes?: GraphChanges): Promise<number | undefined> {
    const transaction = await this.#open()
    if (transaction === undefined) return undefined
    await this.#count()
    const generation = await this.#record(transaction, state, changes)
    const isSeen = generation !== this.#base
    if (isSeen) await this.#announce(generation)
    try {
      await transaction.commit()
    } catch (error) {
      await this.#announce(this.#base).catch(() => {})
      throw error
    }
    return generation
  }

  /** Returns the new generation, which stays the same if readers see no change. */
  async #record(transaction: OpenTransaction, state: VaultState, changes?: GraphChanges): Promise<number> {
    const vault = this.#vault
    const [before] = await transaction.run<{ readonly state: string | null }>(
      'MATCH (v:RouxVault {vault: $vault}) RETURN v.state AS state',
      { vault },
    )
    const isSeen = this.#isChanged || !sameState(state, before?.state ?? null) || this.#base === 0
    const generation = isSeen ? this.#base + 1 : this.#base
    await transaction.run(
      `MATCH (v:RouxVault {vault: $vault})
       SET v.generation = $generation, v.state = $state, v.complete = $complete, v.lineage = $lineage, v.outside = $outside, v.mode = $mode,
           v.files = COUNT { MATCH (f:RouxFile {vault: $vault}) WHERE f.folded STARTS WITH '' }, v.fed = timestamp()
       REMOVE v.locked`,
      {
        vault,
        generation,
        state: JSON.stringify(state),
        complete: state.complete,
        lineage: state.lineage ?? null,
        outside: JSON.stringify(state.outside),
        mode: state.mode ?? null,
      },
    )
    if (isSeen && state.lineage !== undefined) await this.#log(transaction, { lineage: state.lineage, generation, changes })
    return generation
  }

  /** Logs the generation in its own transaction, so the log is complete. The initial feed is not logged. */
  async #log(
    transaction: OpenTransaction,
    {
      lineage,
      generation,
      changes,
    }: { readonly lineage: string; readonly generation: number; readonly changes: GraphChanges | undefined },
  ): Promise<void> {
    const { log } = this.#connection
    if (log === undefined) return
    const vault = this.#vault
    const packed = changes === undefined ? null : packedChanges(changes)
    await transaction.run(
      `MATCH (v:RouxVault {vault: $vault}) SET v.logged = CASE WHEN v.logged > timestamp() THEN v.logged ELSE timestamp() END
       CREATE (:RouxCommit {vault: $vault, lineage: $lineage, generation: $generation, base: $base, time: v.logged, bytes: $bytes, changes: $changes})`,
      {
        vault,
        lineage,
        generation,
        base: changes === undefined ? generation : this.#base,
        bytes: packed?.length ?? 0,
        changes: packed,
      },
    )
    if (generation % PRUNED_AFTER === 0) await this.#prune(transaction, log)
  }

  /** Deletes expired entries, and then the oldest ones until the log is small enough. */
  async #prune(transaction: OpenTransaction, { days, bytes: maxBytes }: NonNullable<Connection['log']>): Promise<void> {
    const vault = this.#vault
    const rows = await transaction.run<{ readonly generation: number; readonly age: number; readonly bytes: number }>(
      `MATCH (c:RouxCommit {vault: $vault}) WHERE c.generation >= 0
       RETURN c.generation AS generation, timestamp() - c.time AS age, c.bytes AS bytes ORDER BY c.generation DESC`,
      { vault },
    )
    let keptBytes = 0
    const dropped = rows.find(({ age, bytes }) => {
      keptBytes += bytes
      return age > days * DAY || keptBytes > maxBytes
    })
    if (dropped === undefined) return
    await transaction.run('MATCH (c:RouxCommit {vault: $vault}) WHERE c.generation >= 0 AND c.generation <= $last DELETE c', {
      vault,
      last: dropped.generation,
    })
  }

  async #count(): Promise<void> {
    await this.#runEach(
      `MATCH (n:RouxNode {vault: $vault, key: row})
       SET n.inDegree = COUNT { MATCH (s:RouxListed)-[:ROUX_LINK]->(n) WHERE s <> n }`,
      [...this.#linkedTo],
    )
    await this.#runEach(
      `MATCH (n:RouxNode {vault: $vault, key: row})
       SET n.outDegree = COUNT { MATCH (n)-[:ROUX_LINK]->(t:RouxListed) WHERE t <> n }`,
      [...this.#linking],
    )
    const missing = await this.#runEach<{ readonly node: string; readonly isLinked: boolean }>(
      `MATCH (m:RouxMissing {vault: $vault, idKey: row})
       SET m.inDegree = COUNT { MATCH (s:RouxListed)-[:ROUX_LINK]->(m) }
       RETURN elementId(m) AS node, EXISTS { (:RouxFile)-[:ROUX_LINK]->(m) } AS isLinked`,
      [...this.#missing].map(idKeyOf),
    )
    const removed = await this.#runEach<{ readonly node: string }>(
      `MATCH (n:RouxNode {vault: $vault, key: row}) WHERE NOT n:RouxFile AND NOT EXISTS { ()-[:ROUX_LINK]->(n) } RETURN elementId(n) AS node`,
      [...this.#removedKeys],
    )
    // This statement runs last and without an index, because index lookups would scan all nodes deleted in this transaction.
    const unlinked = missing.filter(({ isLinked }) => !isLinked)
    await this.#runEach(
      'MATCH (n:RouxNode) WHERE elementId(n) = row DETACH DELETE n',
      [...unlinked, ...removed].map(({ node }) => node),
    )
  }

  async #announce(generation: number): Promise<void> {
    await this.#connection.write(`MERGE (p:RouxPending {vault: $vault}) SET p.generation = $generation, p.at = timestamp()`, {
      vault: this.#connection.vault,
      generation,
    })
  }
}

const NOTHING: Batch = {
  put: [],
  remove: [],
  touch: [],
  ids: () => ({ files: [], missing: (name) => name as NodeId }),
}

function isListed({ kind, excluded }: FileRecord): boolean {
  return kind === 'note' && !excluded
}

function sameState(state: VaultState, stored: string | null): boolean {
  if (stored === null) return false
  const before = JSON.parse(stored) as VaultState
  return state.complete === before.complete && JSON.stringify(state.outside) === JSON.stringify(before.outside)
}
