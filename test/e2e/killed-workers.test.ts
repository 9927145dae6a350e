import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { search } from '../../src/app/find/search.ts'
import { lookUp } from '../../src/app/names/known-node.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import { openCore, type SharedParts, shareParts } from '../../src/compose/index.ts'
import { toSettings } from '../../src/config/settings.ts'
import { RouxError } from '../../src/core/errors.ts'
import { ComputeClient } from '../../src/workers/compute-client.ts'
import { IndexerHost, Restarts } from '../../src/workers/indexer-channel.ts'
import { LONG } from '../support/long.ts'
import { temporaryFolder } from '../support/temporary.ts'

afterEach(() => vi.unstubAllEnvs())

const KILLS = LONG ? 50 : 15

/**
 * A built worker that throws an uncaught exception on command. (`Worker.terminate` would end it even within a call of the SQLite binding,
 * which aborts the whole process.)
 */
function mortal(name: 'indexer' | 'compute'): Worker {
  const entry = JSON.stringify(fileURLToPath(new URL(`../../dist/workers/${name}.js`, import.meta.url)))
  const dying = `require('node:worker_threads').parentPort.on('message', ({ type }) => { if (type === 'die') throw new Error('killed') })`
  return new Worker(`${dying}\nrequire(${entry})`, { eval: true, stdout: true })
}

/** Vaults in one process whose indexing worker can be killed repeatedly. */
function killable() {
  const folder = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'))
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const workers: Worker[] = []
  const start = () => {
    const worker = mortal('indexer')
    workers.push(worker)
    return worker
  }
  const restarts = new Restarts({ firstPause: 0, limit: Number.POSITIVE_INFINITY, window: 1 })
  const shared: SharedParts = { ...shareParts(), indexers: new IndexerHost(start, restarts) }
  const open = async (name: string) => {
    const root = join(folder, name)
    mkdirSync(root)
    for (let at = 0; at < 60; at++) writeFileSync(join(root, `note ${at}.md`), `# Note ${at}\n\n[[note ${(at * 7) % 60}]]\n`)
    writeFileSync(join(root, 'log.md'), 'Log.\n')
    const settings = toSettings(
      new Map<string, unknown>([
        ['vault.path', root],
        ['tools.write', true],
      ]),
    )
    const core = await openCore(settings, { watch: true, name, shared })
    onTestFinished(() => core.close())
    return { core, root }
  }
  return { open, workers, kill: () => workers.at(-1)?.postMessage({ type: 'die' }) }
}

/** Pseudo-random numbers from 0 to 1, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const READ = { depth: 0, offset: 0, maxChars: 1_000 } as const

test(`an indexing worker killed ${KILLS} times during reads and writes loses no write, repeats none, and leaves no call hanging`, async () => {
  const { open, workers, kill } = killable()
  const vaults = [await open('first'), await open('second')]
  const random = numbers(7)
  let isOver = false
  const written = { sure: 0, made: 0, nothing: 0, unknown: 0 }
  const wrong: string[] = []

  const writer = async ({ core, root }: (typeof vaults)[number]) => {
    for (let at = 0; !isOver; at++) {
      const line = `entry ${at}.`
      const append = { kind: 'update', id: 'log', append: line, updateLinks: false } as const
      const outcome = await core.writing?.run({ title: line, operations: [append], dryRun: false }).then(
        () => 'sure' as const,
        (error: unknown) => outcomeOf(error),
      )
      written[outcome ?? 'unknown']++
      const times = readFileSync(join(root, 'log.md'), 'utf8').split(line).length - 1
      if (times !== (outcome === 'nothing' ? 0 : 1)) wrong.push(`${core.name} ${line} (${outcome}): ${times} times`)
    }
  }
  const reader = async ({ core, root }: (typeof vaults)[number]) => {
    for (let at = 0; !isOver; at++) {
      writeFileSync(join(root, `note ${at % 60}.md`), `# Note ${at % 60}\n\nTurn ${at}, [[note ${(at * 11) % 60}]].\n`)
      await Promise.allSettled([
        getNode(core, { id: `note ${at % 60}`, ...READ }),
        search(core, { query: 'turn', limit: 5, includeContent: false, relevance: 'normal', mode: 'hybrid', explain: false }),
      ])
    }
  }
  const killer = async () => {
    for (let killed = 0; killed < KILLS; killed++) {
      const count = workers.length
      // This minimum ensures that some writes are made between kills, even on a slow machine.
      const sure = written.sure
      while (killed % 5 === 0 && written.sure === sure) await sleep(1)
      await sleep(random() * 250)
      kill()
      while (workers.length === count) await sleep(1)
    }
    isOver = true
  }
  await Promise.all([killer(), ...vaults.flatMap((vault) => [writer(vault), reader(vault)])])
  expect(wrong).toEqual([])
  expect(written.unknown).toBe(0)
  expect(written.made + written.nothing).toBeGreaterThan(0)
  for (const { core, root } of vaults) {
    writeFileSync(join(root, 'last.md'), 'The very last.\n')
    await expect
      .poll(
        async () =>
          (await core.store.read((snapshot) => lookUp(snapshot, core, [`${core.name}:last.md`]))).filter(Boolean).length,
      )
      .toBe(1)
    await expect.poll(() => core.indexing.status().phase).toBe('idle')
  }
})

function outcomeOf(error: unknown): 'made' | 'nothing' | 'unknown' {
  if (!(error instanceof RouxError)) throw error
  if (/^(Nothing was written|The change failed and was rolled back)/.test(error.message)) return 'nothing'
  return error.message.startsWith('The change was made') ? 'made' : 'unknown'
}

test('a compute worker that is killed repeatedly fails only its current job', async () => {
  const workers: Worker[] = []
  const compute = new ComputeClient(() => {
    const worker = mortal('compute')
    workers.push(worker)
    return worker
  })
  onTestFinished(() => compute.close())
  // A ring: every node has one link.
  const ring = () => ({
    offsets: Uint32Array.from({ length: 501 }, (_, at) => at),
    targets: Uint32Array.from({ length: 500 }, (_, at) => (at + 1) % 500),
  })
  const outcomes: string[] = []
  for (let at = 0; at < 20; at++) {
    const run = compute.run('betweenness', ring()).then(
      () => 'done',
      () => 'failed',
    )
    const worker = workers.at(-1)
    const ended = new Promise((resolve) => worker?.once('exit', resolve))
    worker?.postMessage({ type: 'die' })
    outcomes.push(await run)
    await ended
  }
  expect(outcomes).toHaveLength(20)
  expect((await compute.run('pagerank', ring())).scores).toHaveLength(500)
})
