import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { FollowedDatabase } from '../../../src/store/embedded/followed-database.ts'
import { databasePath } from '../../../src/store/embedded/location.ts'
import { openSqlite, PAUSE } from '../../../src/store/embedded/sqlite.ts'

/** A program that writes without end, for 40 ms each time. */
const WRITER = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require(workerData.binding)
  const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  const database = new DatabaseSync(workerData.path, { timeout: 10_000 })
  for (let count = 1; ; count++) {
    database.exec('BEGIN IMMEDIATE; UPDATE writes SET count = ' + count)
    sleep(40)
    database.exec('COMMIT')
    if (count === 1) parentPort.postMessage('writing')
    sleep(workerData.pause)
  }
`

test('a reader of an index in memory gets its turn while another thread writes without end', async () => {
  const location = { kind: 'memory', name: `readers-${process.pid}` } as const
  const path = databasePath(location)
  const database = openSqlite(path)
  database.exec('CREATE TABLE writes (count); INSERT INTO writes VALUES (0)')
  const binding = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  const writer = new Worker(WRITER, { eval: true, workerData: { binding, path, pause: PAUSE.length } })
  onTestFinished(async () => {
    await writer.terminate()
    database.close()
  })
  await new Promise((resolve) => writer.once('message', resolve))
  const followed = new FollowedDatabase(location, {
    name: 'index',
    cache: 1_000,
    prepare: (open) => ({ count: open.prepare('SELECT count FROM writes') }),
    forget: () => {},
  })
  const counts: number[] = []
  for (let read = 0; read < 20; read++) {
    counts.push(followed.load(({ count }) => (count.get() as { count: number }).count) ?? Number.NaN)
    await sleep(5)
  }
  followed.close()
  // A reader that checks as rarely as SQLite would miss a dozen pauses for each read.
  expect((counts.at(-1) ?? 0) - (counts[0] ?? 0)).toBeLessThan(100)
})
