import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { buildSync } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { ThreadGuard } from '../../src/workers/thread-guard.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A thread that enters and stays until the gate opens, and then tries to enter again. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const guard = new ThreadGuard(workerData.cells)
guard.run(() => {
  guard.run(() => parentPort.postMessage('in'))
  Atomics.wait(workerData.gate, 0, 0)
})
parentPort.postMessage('out')
guard.run(() => parentPort.postMessage('in again'))
parentPort.postMessage('out again')
`

function start(guard: ThreadGuard) {
  const [built] = buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/workers/thread-guard.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'iife',
    globalName: 'module_',
    write: false,
  }).outputFiles
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(`${built?.text};const { ThreadGuard } = module_;${THREAD}`, {
    eval: true,
    workerData: { cells: guard.cells, gate },
  })
  onTestFinished(async () => void (await worker.terminate()))
  const told: string[] = []
  worker.on('message', (message: string) => told.push(message))
  const tells = async (message: string): Promise<void> => {
    while (!told.includes(message)) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const open = (): void => {
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return { told, tells, open, worker }
}

test('a thread ends only after it has left the protected section, and enters no other', async () => {
  const guard = new ThreadGuard()
  const { told, tells, open, worker } = start(guard)
  await tells('in')
  let isEnded = false
  const ended = guard.end().then(() => {
    isEnded = true
  })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(isEnded).toBe(false)
  open()
  await ended
  await tells('out')
  await worker.terminate()
  expect(told).toEqual(['in', 'out'])
})

test('a thread that was not ended can enter again', async () => {
  const { told, tells, open } = start(new ThreadGuard())
  open()
  await tells('out again')
  expect(told).toEqual(['in', 'out', 'in again', 'out again'])
})

/** A process that ends while its worker is inside a slow call of SQLite. */
const PROCESS = `
import { parentPort, Worker, isMainThread } from 'node:worker_threads'
import { guardSqlite, openSqlite } from ${at('store/embedded/sqlite.ts')}
import { leaveNativeCode, ownGuard, startGuarded, terminate } from ${at('workers/thread-guard.ts')}

if (isMainThread) {
  const worker = startGuarded((workerData) => new Worker(process.argv[1], { workerData }))
  await new Promise((resolve) => worker.once('message', resolve))
  await new Promise((resolve) => setTimeout(resolve, 100))
  process.on('exit', () => { if (!leaveNativeCode()) process.kill(process.pid, 'SIGKILL') })
  if (process.env.HOW === 'terminate') await terminate(worker)
  process.exit(3)
} else {
  guardSqlite(ownGuard())
  const statement = openSqlite(':memory:').prepare(
    'WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 200000) SELECT count(*) AS n FROM row',
  )
  parentPort.postMessage('begun')
  for (;;) statement.get()
}
`

function at(module: string): string {
  return JSON.stringify(fileURLToPath(new URL(`../../src/${module}`, import.meta.url)))
}

// Without the guard, Node would abort the process here.
test.each(['terminate', 'exit'])('a process that ends while a thread is inside SQLite does not crash: %s', (how) => {
  const folder = temporaryFolder()
  const script = join(folder, 'process.mjs')
  buildSync({
    stdin: { contents: PROCESS, resolveDir: folder, sourcefile: 'process.ts', loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: script,
    // The binding is found relative to this URL.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  })
  const { status, signal, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: { ...process.env, HOW: how },
  })
  expect({ status, signal, stderr }).toEqual({ status: 3, signal: null, stderr: '' })
})
