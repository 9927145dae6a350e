import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import { startHttp } from '../e2e/http-support.ts'
import { openWorld, PROGRAM, type Wire, type World } from '../e2e/support.ts'
import { eventually } from '../support/eventually.ts'
import { NEO4J_URL, neo4jPlace } from '../support/neo4j.ts'
import { PATIENCE } from '../support/patience.ts'

let worlds = 0

describe.skipIf(NEO4J_URL === undefined)('several programs over one vault in Neo4j', () => {
  /** A vault with a unique name in the database, and the server settings. */
  function clustered(): {
    readonly world: World
    readonly name: string
    readonly set: readonly string[]
    readonly connection: Connection
  } {
    const world = openWorld({ fixture: 'demo' })
    const name = `t${process.pid}-${++worlds}`
    const passwordFile = join(world.root, 'password')
    writeFileSync(passwordFile, process.env.ROUX_STORE_NEO4J_PASSWORD ?? '')
    writeFileSync(join(world.root, 'roux.config.yaml'), '')
    const set = [
      ...['--set', `store.neo4j.url=${NEO4J_URL}`, '--set', `store.neo4j.password_file=${passwordFile}`],
      ...['--config', join(world.root, 'own.yaml')],
    ]
    writeFileSync(join(world.root, 'own.yaml'), `vaults:\n  ${name}: ${world.vault}\n`)
    const connection = new Connection({ ...neo4jPlace(), vault: name })
    onTestFinished(async () => {
      await removeVault(connection)
      await connection.close()
    })
    return { world, name, set, connection }
  }
  const withoutFolder = (set: readonly string[], names: readonly string[]) => [
    ...set,
    ...['--set', 'store.type=neo4j', '--set', `store.neo4j.vaults=${JSON.stringify(names)}`],
  ]
  const overStdio = async ({ env, root }: World, args: readonly string[]): Promise<Wire> => {
    const client = new Client({ name: 'stored', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, 'serve', ...args],
        env: { ...env },
        cwd: root,
        stderr: 'ignore',
      }),
    )
    onTestFinished(() => client.close())
    return client
  }
  const asked = async (client: Wire, name: string, args: Wire = {}): Promise<Wire> => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
    expect(isError ?? false, content?.[0]?.text).toBe(false)
    return structuredContent
  }

  test('a server without a folder answers from the store, over stdio and HTTP, and offers no write tool', async () => {
    const { world, name, set } = clustered()
    const { code, err } = await world.roux(['index', name, '--store', 'neo4j', ...set])
    expect(code, err).toBe(0)
    world.write('New.md', 'Links to [[Home]].')
    expect((await world.roux(['index', name, '--store', 'neo4j', ...set])).code).toBe(0)
    const args = withoutFolder(set, [name])
    const http = await startHttp(world, [...args, '--write'])
    const remote: Wire = new Client({ name: 'stored', version: '1' })
    const headers = { Authorization: `Bearer ${http.token}` }
    await remote.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }))
    onTestFinished(() => remote.close())
    for (const client of [remote, await overStdio(world, args)]) {
      const names = (await client.listTools()).tools.map((tool: Wire) => tool.name)
      expect(names).toContain('get_node')
      expect(
        names.filter((tool: string) => /create|update|delete|move|rename|attach|manage|restore|clone|apply/.test(tool)),
      ).toEqual([])
      expect(await asked(client, 'get_node', { id: 'Home' })).toMatchObject({
        node: { id: 'home.md', content: expect.stringContaining('# Bread notebook') },
      })
      const { results } = await asked(client, 'search', { query: 'Why is my crumb dense?' })
      expect(results[0]).toMatchObject({ id: 'faults/dense crumb.md' })
      const refused = await client.callTool({ name: 'create_node', arguments: { id: 'x.md', content: 'x' } })
      expect(refused.structuredContent.error).toMatchObject({
        code: 'TOOL_DISABLED',
        hint: expect.stringContaining('need their folders'),
      })
      // The day begins before the vault's first generation, which does not count as a change.
      const changed = await asked(client, 'changes_since', { since: '1d' })
      expect(changed).toMatchObject({
        notes: { added: [{ id: 'new.md', title: 'New' }] },
        links: { gained: [{ from: 'new.md', to: 'home.md' }] },
      })
      const { cursor } = changed
      expect(await asked(client, 'changes_since', { cursor })).toMatchObject({ cursor, totals: {} })
      const info = JSON.parse((await client.readResource({ uri: 'roux://system-info' })).contents[0].text)
      expect(info.vault.index).toMatchObject({ phase: 'idle', feed: { age: expect.any(Number) } })
    }
    const health = await fetch(new URL('/health', http.url), { headers })
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', vaults: [{ name, store: 'ready', generation: 2, age: expect.any(Number) }] },
    ])
    const doctor = JSON.parse((await world.roux(['doctor', '--json', ...args])).out)
    const database = doctor.checks.filter(({ check }: Wire) => check === 'database')
    expect(database.map(({ state }: Wire) => state)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(JSON.stringify(database)).toMatch(/Neo4j 5.*70 files, generation 2.*all indexes are online/)
    const status = JSON.parse((await world.roux(['status', '--json', ...args])).out)
    expect(status).toMatchObject({ vault: name, files: 70, generation: 2, feed: { age: expect.any(Number) } })
    expect(status).not.toHaveProperty('bytes')
    const refused = await world.roux(['index', ...args])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('roux index <folder>')])
    for (const command of [
      ['undo', '1', '--write'],
      ['list-attachments', 'home.md'],
    ]) {
      const off = await world.roux([...command, ...args])
      expect([off.code, off.err]).toEqual([1, expect.stringContaining('need their folders')])
    }
    const operations = [{ tool: 'delete_node', arguments: { id: 'home.md' } }]
    const untold = await world.roux(['impact', '--operations', JSON.stringify(operations), ...args])
    expect([untold.code, untold.err]).toEqual([1, expect.stringContaining('Ask a server that has the folder')])
  })

  test('a vault that was never fed is an error that says how to feed it', async () => {
    const { world, set } = clustered()
    const { code, err } = await world.roux(['get-node', 'Home', ...withoutFolder(set, ['nowhere'])])
    expect([code, err]).toEqual([1, expect.stringMatching(/no vault "nowhere"[\s\S]*roux index <folder> --store neo4j/)])
  })

  test('if the database is unreachable, calls and /health say so with a hint', async () => {
    const { world, name, set } = clustered()
    const args = withoutFolder([...set, '--set', 'store.neo4j.url=bolt://127.0.0.1:1'], [name])
    const http = await startHttp(world, args)
    const health = await fetch(new URL('/health', http.url), { headers: { Authorization: `Bearer ${http.token}` } })
    expect([health.status, await health.json()]).toEqual([503, { status: 'degraded', vaults: [{ name, store: 'unreachable' }] }])
    const { code, err } = await world.roux(['get-node', 'Home', ...args])
    expect([code, err]).toEqual([1, expect.stringMatching(/Neo4j at 127\.0\.0\.1:1 cannot be reached[\s\S]*store\.neo4j\.url/)])
  })

  test('a second folder with the same vault name is refused, and the first stays unchanged', async () => {
    const { world, name, set } = clustered()
    expect((await world.roux(['index', name, '--store', 'neo4j', ...set])).code).toBe(0)
    world.write(`other/${name}/Other.md`, 'Not of this vault.')
    const other = ['index', join(world.vault, 'other', name), '--store', 'neo4j', ...set.slice(0, 4)]
    const { code, err } = await world.roux(other)
    expect([code, err]).toEqual([1, expect.stringMatching(/already has a vault ".*", fed from another folder[\s\S]*vaults\./)])
    const { out } = await world.roux(['nodes-exist', 'home.md', 'other.md', ...withoutFolder(set, [name])])
    expect(JSON.parse(out)).toEqual({ 'home.md': true, 'other.md': false })
    const elsewhere = await overStdio(world, [join(world.vault, 'other', name), ...set.slice(0, 4), '--set', 'store.type=neo4j'])
    const { isError, structuredContent } = await elsewhere.callTool({ name: 'nodes_exist', arguments: { ids: ['home.md'] } })
    expect([isError, structuredContent.error]).toEqual([
      true,
      expect.objectContaining({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('fed from another folder') }),
    ])
  })

  test('the feeder computes whole-vault results once per generation; servers only read them', { timeout: 900_000 }, async () => {
    const { world, name, set, connection } = clustered()
    const child = world.start(['feed', name, ...set])
    // After a run, the feeder rests for five times as long as the run took, which is minutes on a slow machine.
    const ranked = (least: number) =>
      vi.waitFor(async () => {
        const [vault] = await connection.read<Wire>(
          `MATCH (v:RouxVault {vault: $vault}) RETURN v.generation AS generation, v.pagerankAt AS pagerank, v.betweennessAt AS betweenness,
             COLLECT { MATCH (r:RouxResult {vault: $vault}) WHERE r.name IN ['whole', 'links'] AND r.part = 0 RETURN r.generation } AS results`,
          { vault: name },
        )
        expect(vault?.generation).toBeGreaterThanOrEqual(least)
        expect([vault.pagerank, vault.betweenness, ...vault.results]).toEqual(Array(4).fill(vault.generation))
        return vault.generation as number
      }, PATIENCE * 2)
    const first = await ranked(1)
    world.write('New.md', 'Links to [[Home]].')
    await ranked(first + 1)
    // SQLite creates and deletes the files next to a database as needed.
    const insightFiles = () =>
      readdirSync(world.root, { recursive: true }).filter((path) => /insight-[^/]*\.db$/.test(String(path)))
    const before = insightFiles()
    const maps: Wire[] = []
    for (let server = 0; server < 2; server++) {
      const client = await overStdio(world, withoutFolder(set, [name]))
      maps.push(await asked(client, 'map', {}))
      await asked(client, 'suggest_links', {})
    }
    expect(maps[0]._warnings).toBeUndefined()
    expect(maps[1]).toEqual(maps[0])
    expect([before.length > 0, insightFiles()]).toEqual([true, before])
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  })

  test('a feeder with a clock that is an hour off waits, takes over and is visible like any other', async () => {
    const { world, name, set, connection } = clustered()
    const shift = join(world.root, 'shift.mjs')
    writeFileSync(
      shift,
      'const now = Date.now; Date.now = () => now() + 3_600_000\n' +
        'globalThis.Date = class extends Date { constructor(...given) { if (given.length === 0) super(Date.now()); else super(...given) } }\n',
    )
    const feeder = (env: Readonly<Record<string, string>> = {}) => {
      const child = world.start(['feed', name, ...set], { env })
      let said = ''
      child.stderr.on('data', (part: string) => {
        said += part
      })
      return { child, said: () => said }
    }
    const right = feeder()
    await eventually(async () => expect(right.said()).toContain('up to date.'))
    const wrong = feeder({ NODE_OPTIONS: `--import ${pathToFileURL(shift)}` })
    await eventually(async () => expect(wrong.said()).toContain('waiting to take over'))
    // The wait is longer than a feeder's check interval, so the vault would be free by the feeder's own clock.
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(wrong.said()).not.toContain('feeding.')
    right.child.kill('SIGTERM')
    await eventually(async () => expect(wrong.said()).toContain('up to date.'))
    world.write('New.md', 'Links to [[Home]].')
    const client = await overStdio(world, withoutFolder(set, [name]))
    await eventually(async () =>
      expect(JSON.stringify(await asked(client, 'nodes_exist', { ids: ['new.md'] }))).toContain('true'),
    )
    const info = JSON.parse((await client.readResource({ uri: 'roux://system-info' })).contents[0].text)
    expect(info.vault.index.feed.age).toBeLessThan(600)
    expect((await asked(client, 'get_node', { id: 'Home' }))._warnings).toBeUndefined()
    const [heard] = await connection.read<Wire>(
      'MATCH (h:RouxFeeder {vault: $vault}) RETURN abs(timestamp() - h.heard) < 600000 AS isNow',
      { vault: name },
    )
    expect(heard).toEqual({ isNow: true })
    const ended = new Promise((resolve) => wrong.child.once('exit', resolve))
    wrong.child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('answers say when the feeder has not reported for a minute', async () => {
    const { world, name, set, connection } = clustered()
    await world.roux(['index', name, '--store', 'neo4j', ...set])
    const client = await overStdio(world, withoutFolder(set, [name]))
    const heard = (ago: number) =>
      connection.write(
        'MATCH (v:RouxVault {vault: $vault}) MERGE (h:RouxFeeder {vault: $vault}) SET h.heard = timestamp() - $ago, v.fed = h.heard',
        { vault: name, ago },
      )
    await heard(30_000)
    expect((await asked(client, 'get_node', { id: 'Home' }))._warnings).toBeUndefined()
    await heard(185_000)
    const warnings = [{ code: 'STALE', message: expect.stringContaining('has not reported for') }]
    // The state of the feeder is read once a second.
    await eventually(async () => expect((await asked(client, 'get_node', { id: 'Home' }))._warnings).toEqual(warnings))
  })

  test('a second feeder waits and takes over, readers see edits, and the fed vault can be removed', async () => {
    const { world, name, set } = clustered()
    const feeder = () => {
      const child = world.start(['feed', name, ...set])
      let said = ''
      child.stderr.on('data', (part: string) => {
        said += part
      })
      return { child, said: () => said }
    }
    const first = feeder()
    await eventually(async () => expect(first.said()).toContain('up to date.'))
    const second = feeder()
    await eventually(async () => expect(second.said()).toContain('waiting to take over'))
    const client = await overStdio(world, withoutFolder(set, [name]))
    const seen = (id: string) =>
      eventually(async () => expect(JSON.stringify(await asked(client, 'nodes_exist', { ids: [id] }))).toContain('true'))
    world.write('New.md', 'Links to [[Home]].')
    await seen('new.md')
    const refused = await world.roux(['feed', '--remove', name, ...set])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is writing the vault')])
    first.child.kill('SIGKILL')
    await eventually(async () => expect(second.said()).toContain('up to date.'))
    world.write('Newer.md', 'Links to [[Home]].')
    await seen('newer.md')
    const ended = new Promise((resolve) => second.child.once('exit', resolve))
    second.child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const removed = await world.roux(['feed', '--remove', name, ...set])
    expect([removed.code, removed.err]).toEqual([0, expect.stringContaining('Removed')])
    const again = await world.roux(['feed', '--remove', name, ...set])
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('no vault')])
  })
})
