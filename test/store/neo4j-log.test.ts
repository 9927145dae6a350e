import { describe, expect, onTestFinished, test } from 'vitest'
import type { GraphChanges } from '../../src/core/insight/graph-changes.ts'
import { openNeo4jIndexWriter, removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import { graphLogOf } from '../../src/store/neo4j/shared-state.ts'
import { NEO4J_URL, neo4jPlace } from '../support/neo4j.ts'

const LINEAGE = 'lineage'

describe.skipIf(NEO4J_URL === undefined)('the log of changes in a Neo4j database', () => {
  /** A vault with this many generations, each of which changes a note. */
  async function logged(generations: number, log: { readonly days: number; readonly bytes: number } | undefined) {
    const { log: _, ...place } = neo4jPlace()
    const connection = new Connection(log === undefined ? place : { ...place, log })
    onTestFinished(async () => {
      await removeVault(connection)
      await connection.close()
    })
    const writer = openNeo4jIndexWriter(connection)
    const ids = () => ({ files: [], missing: (name: string) => name as never })
    for (let base = 0; base < generations; base++) {
      const open = await writer.begin(base)
      // Removing a missing file changes nothing, but creates a generation.
      await open.put({ put: [], touch: [], remove: [base], ids })
      const changes: GraphChanges = { files: [{ to: `${base}.md`, time: base }], links: [] }
      await open.commit({ outside: [], nextKey: 9, complete: true, lineage: LINEAGE }, base === 0 ? undefined : changes)
    }
    return connection
  }
  const read = async (connection: Connection, upTo: number) => {
    const commits = []
    for await (const part of graphLogOf(connection).commits(LINEAGE, upTo)) commits.push(...part)
    return commits
  }

  test('has the changes of each generation, newest first; the initial state is not a change', async () => {
    const connection = await logged(4, { days: 30, bytes: 1_000_000 })
    const commits = await read(connection, 3)
    expect(commits.map(({ base, generation, changes }) => [base, generation, changes?.files[0]?.to])).toEqual([
      [2, 3, '2.md'],
      [1, 2, '1.md'],
      [1, 1, undefined],
    ])
    expect(commits.map(({ time }) => time)).toEqual([...commits.map(({ time }) => time)].sort((a, b) => b - a))
    const { ownerOf } = graphLogOf(connection)
    expect([await ownerOf(LINEAGE), await ownerOf('another')]).toEqual(['this vault', undefined])
  })

  test('is limited in size, and off if the limit is zero', async () => {
    const connection = await logged(50, { days: 30, bytes: 500 })
    const kept = await read(connection, 50)
    expect(kept[0]).toMatchObject({ base: 49, generation: 50 })
    expect(kept.length).toBeGreaterThan(2)
    expect(kept.length).toBeLessThan(20)
    expect(await read(await logged(2, undefined), 2)).toEqual([])
  })
})
