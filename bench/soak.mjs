// Disturbs a server for a long time and checks what it costs: `npm run soak -- <vault> [--minutes 10] [--files 10000] [--seed 1]`.
//
// Serves a copy of the vault over HTTP. In random order, again and again: notes are edited, folders renamed, 10,000 files checked out, notes
// synchronized with conflicts; clients come and go; another server with the same index is killed; the computer sleeps; the vault is away;
// the cache disk is full; clients write. Meanwhile a client asks all the time. Each of four quarters ends with a rest, and then
// - memory must not have grown since the first quarter,
// - no handle may be left open, and every folder must be watched once,
// - all answers must equal those of a server with a fresh index,
// and no call may have failed. At the end the server is killed, and the next one must answer the same. Exits with 1 if anything is wrong.
// Filling a disk takes the right to mount one (root); without it this part is skipped. Linux only.
//
// `--rest 60`: seconds of rest, at least 50, because an idle server releases memory after 30 to 45; `--only suspended` (several times): only
// these; `--node=--import=file` passes options to the server's Node; `--program` soaks another build.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isDone, median } from './client.mjs'
import { httpClient, serveHttp } from './http-client.mjs'
import { handlesOf, peakOf, residentOf, watchesOf } from './process-tree.mjs'
import { seededRandom } from './retrieval.mjs'
import { compareAnswers, computeAll } from './soak/answers.mjs'
import { disturbances, foldersIn } from './soak/disturb.mjs'
import { faultsOf } from './soak/judge.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    files: { type: 'string', default: '10000' },
    rest: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    only: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [] },
    program: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
  },
})
if (positionals[0] === undefined) {
  console.error('Missing vault. Usage: npm run soak -- <vault>')
  process.exit(2)
}
const QUARTERS = 4
/** A change that is not noticed within this time, in milliseconds, never will be. */
const PATIENCE = 300_000
const POLL = 250

/** As docs/http.md advises: without these settings the C library keeps what was freed, and that looks like a leak. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }

const program = resolve(options.program)
const scratch = mkdtempSync(join(tmpdir(), 'roux-soak-'))
const vault = join(scratch, 'vault')
cpSync(resolve(positionals[0]), vault, { recursive: true, filter: (path) => !path.includes('/.git') })
const env = { ...ALLOCATOR, ...foldersOf('soaked') }
const cache = mountDisk(env.XDG_CACHE_HOME)
const failures = []
const quarters = []
let server = await serveHttp({ program, vault, env, node: options.node, args: ['--write'] })
let client = httpClient(server)

const soak = {
  vault,
  random: seededRandom(Number(options.seed) + 1),
  files: Number(options.files),
  command: [program],
  env,
  cache,
  get server() {
    return server
  },
  settled,
}
try {
  await soakForLong()
} catch (error) {
  failures.push(`it did not come to its end: ${error.message}`)
} finally {
  server.process.kill('SIGKILL')
  cache?.unmount()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}
report()

async function soakForLong() {
  const all = Object.entries(disturbances(soak)).filter(([name]) => options.only.length === 0 || options.only.includes(name))
  await settled()
  await computeAll(client)
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const talker = startTalking()
    const end = performance.now() + (Number(options.minutes) * 60_000) / QUARTERS
    const done = []
    // Every event occurs at least once in each quarter, so quarters can be compared.
    while (done.length === 0 || performance.now() < end) {
      for (const [name, disturb] of shuffled(all)) {
        const started = performance.now()
        await disturb().catch((error) => failures.push(`${name}: ${error.message}`))
        done.push({ name, seconds: (performance.now() - started) / 1000, resident: residentOf(server.process.pid) })
        console.error(`${quarter + 1}. ${name}: ${done.at(-1).seconds.toFixed(0)} s, ${done.at(-1).resident.toFixed(0)} MB`)
      }
    }
    const talked = await talker.stop()
    quarters.push({ done, talked, ...(await rest()) })
  }
  server.process.kill('SIGKILL')
  await once(server.process, 'exit')
  noteErrors('the server')
  server = await serveHttp({ program, vault, env, node: options.node, args: ['--write'] })
  client.close()
  client = httpClient(server)
  await settled()
  await withFresh(async (fresh) => {
    const { differences } = await compareAnswers(client, fresh)
    failures.push(...differences.map((difference) => `after a kill: ${difference}`))
  })
  server.process.kill('SIGTERM')
  const [code] = await once(server.process, 'exit')
  if (code !== 0) failures.push(`the server ended with ${code}`)
  noteErrors('the next server')
}

/** Waits until the server has noticed a new note and has nothing left to do. */
async function settled() {
  const folder = foldersIn(vault)[Math.floor(soak.random() * foldersIn(vault).length)] ?? ''
  const path = join(folder, `Marker ${Math.floor(soak.random() * 1e9)}.md`)
  writeFileSync(join(vault, path), 'Still here?\n')
  await until(
    async () => Object.values((await client.call('nodes_exist', { ids: [path] })).value)[0] === true,
    `${path} was not noticed`,
  )
  rmSync(join(vault, path))
  await until(async () => {
    const { phase, search } = await indexStatus()
    return phase === 'idle' && isDone(search?.words) && isDone(search?.vectors)
  }, 'the server did not finish')
}

async function until(isTrue, message) {
  const end = performance.now() + PATIENCE
  for (;;) {
    const isReached = await isTrue().catch((error) => {
      if (!/VAULT_NOT_FOUND/.test(error.message)) throw error
      return false
    })
    if (isReached) return
    if (performance.now() > end) throw new Error(`${message} within ${PATIENCE / 1000} s; ${JSON.stringify(await indexStatus())}`)
    await sleep(POLL)
  }
}

async function indexStatus(of = client) {
  const { text } = await of.post('resources/read', { uri: 'roux://system-info' })
  return JSON.parse(JSON.parse(text).result.contents[0].text).vault.index
}

/** Calls tools continuously, as assistants do. Every call must be answered, except while the vault is away. */
function startTalking() {
  const talking = httpClient(server)
  let isOver = false
  let calls = 0
  let longest = 0
  const asked = [
    ['get_hubs', {}],
    ['list_nodes', { limit: 100 }],
    ['search', { query: 'note about the soak' }],
    ['random_node', {}],
    ['get_problems', { limit: 20 }],
    ['find_nodes', { query: 'note' }],
  ]
  const over = (async () => {
    while (!isOver) {
      const [tool, args] = asked[calls++ % asked.length]
      try {
        longest = Math.max(longest, (await talking.call(tool, args)).ms)
      } catch (error) {
        if (!/VAULT_NOT_FOUND/.test(error.message)) failures.push(`a call failed: ${error.message}`)
      }
      await sleep(POLL)
    }
    talking.close()
    return { calls, longest }
  })()
  return {
    stop() {
      isOver = true
      return over
    },
  }
}

/** Leaves the server idle, and then compares it with a fresh one. */
async function rest() {
  await settled()
  client.close()
  const { pid } = server.process
  await sleep(Number(options.rest) * 1000)
  const at = { resident: residentOf(pid), peak: peakOf(pid), handles: handlesOf(pid), watches: watchesOf(pid) }
  client = httpClient(server)
  const { cache: place } = await indexStatus()
  return await withFresh(async (fresh, freshPid) => ({
    ...at,
    cache: place,
    folders: watchesOf(freshPid),
    ...(await compareAnswers(client, fresh)),
  }))
}

async function withFresh(use) {
  const fresh = await serveHttp({ program, vault, env: foldersOf('fresh'), args: ['--write'] })
  const other = httpClient(fresh)
  await until(async () => {
    await other.call('search', { query: 'anything' })
    const { phase, search } = await indexStatus(other)
    return phase === 'idle' && isDone(search?.words) && isDone(search?.vectors)
  }, 'the fresh index was not complete')
  try {
    return await use(other, fresh.process.pid)
  } finally {
    other.close()
    fresh.process.kill('SIGTERM')
    await once(fresh.process, 'exit')
    rmSync(join(scratch, 'fresh'), { recursive: true, force: true })
  }
}

/** The folders of a user. They ensure that nothing of this computer's user is read or written. */
function foldersOf(user) {
  const named = ['cache', 'state', 'config', 'runtime'].map((kind) => [
    `XDG_${kind.toUpperCase()}_HOME`,
    join(scratch, user, kind),
  ])
  for (const [, folder] of named) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { XDG_RUNTIME_HOME: XDG_RUNTIME_DIR, ...folders } = Object.fromEntries(named)
  return { ...folders, XDG_RUNTIME_DIR, ROUX_SERVE_SHARED: 'off' }
}

/** A small disk for the cache, which can be filled. It is `undefined` without the right to mount it. */
function mountDisk(folder) {
  const mount = (...args) => spawnSync('mount', [...args, folder], { stdio: 'ignore' }).status === 0
  if (!mount('-t', 'tmpfs', '-o', 'size=2g,mode=700', 'soak')) return undefined
  const used = () => Number(spawnSync('df', ['--output=used', '-k', folder], { encoding: 'utf8' }).stdout.split('\n')[1])
  return {
    fill: () => mount('-o', `remount,size=${used() + 64}k`),
    empty: () => mount('-o', 'remount,size=2g'),
    unmount: () => spawnSync('umount', ['--lazy', folder]),
  }
}

/** The server prints only what the user must know. It is silent while all is well, and reports a full disk. */
function noteErrors(who) {
  for (const line of server.errors.split('\n'))
    if (/^\s+at |Error|exception/i.test(line)) failures.push(`${who} printed: ${line}`)
}

function shuffled(all) {
  const keyed = all.map((one) => [soak.random(), one])
  return keyed.sort(([a], [b]) => a - b).map(([, one]) => one)
}

function report() {
  console.log(`Node ${process.versions.node} · ${positionals[0]} · ${options.minutes} min · seed ${options.seed}\n`)
  console.log(
    '| quarter | disturbances | calls; longest | MB meanwhile; peak | MB at rest | handles | watches | answers compared |',
  )
  console.log(`|${'---|'.repeat(8)}`)
  for (const [at, { done, talked, resident, peak, handles, watches, asked }] of quarters.entries()) {
    const busy = `${median(done.map((one) => one.resident)).toFixed(0)}; ${peak.toFixed(0)}`
    const open = [...handles.values()].reduce((sum, count) => sum + count, 0)
    const calls = `${talked.calls}; ${(talked.longest / 1000).toFixed(1)} s`
    console.log(
      `| ${at + 1} | ${done.length} | ${calls} | ${busy} | ${resident.toFixed(0)} | ${open} | ${watches.length} | ${asked} |`,
    )
  }
  if (cache === undefined) console.log('\nskipped: a full cache disk (no right to mount one)')
  const faults = [...faultsOf(quarters), ...failures]
  console.log(
    faults.length === 0 ? '\nNothing grew, nothing was lost, and every answer was right.' : `\n${faults.length} faults:`,
  )
  for (const fault of faults) console.log(`- ${fault.slice(0, 600)}`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
