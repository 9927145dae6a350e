// Events that happen to a vault and its server within weeks, as one function each. Every function reverts its changes before it
// ends, so the vault has the same size afterwards and memory can be compared.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../client.mjs'
import { httpClient, httpSession } from '../http-client.mjs'

const EDITS = 50
const CLIENTS = 10
const KILLS = 3
/** The time for which a vault is away or a computer sleeps, in seconds. */
const AWAY = 4

/**
 * The functions by name. `soak`: `vault`, `random` (0 ≤ value < 1), `files` (of a checkout), `settled()` (the server has noticed
 * everything), `server`, `command` (arguments of Node for `roux`), `env`, `cache` (a disk that can be filled, if there is one).
 */
export function disturbances(soak) {
  const { vault, random, settled } = soak
  const pick = (all) => all[Math.floor(random() * all.length)]
  const notes = () => filesIn(vault).filter((path) => path.endsWith('.md'))
  const some = (count, all) => Array.from({ length: count }, () => pick(all))

  /** Edits notes in the ways of editors, sync programs and wrong clocks. @returns a function that takes the edits back */
  function edit(count) {
    const before = new Map()
    for (const [at, path] of some(count, notes()).entries()) {
      const file = join(vault, path)
      const bytes = readFileSync(file)
      if (!before.has(path)) before.set(path, bytes)
      const text = `${bytes}\nSoaked: [[${nameOf(pick([...before.keys()]))}]] [[Nowhere ${at}]] #soak/${at % 5}\n`
      if (at % 3 === 0) writeFileSync(file, text)
      else replace(file, text)
      // The clock was changed, so the time does not show which version is newer.
      if (at % 5 === 0) utimesSync(file, at % 2 === 0 ? 915_148_800 : 2_240_524_800, 915_148_800)
    }
    return () => {
      for (const [path, bytes] of before) replace(join(vault, path), bytes)
    }
  }

  async function edits() {
    const takeBack = edit(EDITS)
    const added = some(EDITS, foldersIn(vault)).map((folder, at) => join(vault, folder, `Soaked note ${at}.md`))
    for (const file of added) writeFileSync(file, `# Soaked\n\n[[${nameOf(pick(notes()))}]]\n`)
    await settled()
    takeBack()
    for (const file of added) rmSync(file, { force: true })
    await settled()
  }

  async function foldersRenamed() {
    const renames = []
    for (let count = 0; count < 5; count++) {
      const from = pick(foldersIn(vault).filter((path) => path !== ''))
      if (from === undefined) return
      const to = `${from} renamed ${count}`
      renameSync(join(vault, from), join(vault, to))
      renames.push([from, to])
      if (count % 2 === 0) await sleep(100)
    }
    await settled()
    for (const [from, to] of renames.reverse()) renameSync(join(vault, to), join(vault, from))
    await settled()
  }

  async function checkout() {
    writeBranch(soak, 'main')
    await settled()
    writeBranch(soak, 'other')
    await settled()
    rmSync(join(vault, BRANCH), { recursive: true })
    await settled()
  }

  /** Syncthing writes a hidden file, keeps the older version beside the note and renames the new one over it. */
  async function syncConflicts() {
    const takeBack = []
    for (const [at, path] of [...new Set(some(EDITS, notes()))].entries()) {
      const file = join(vault, path)
      const bytes = readFileSync(file)
      const copy = file.replace(/\.md$/, `.sync-conflict-20261128-${100_000 + at}-SOAKED1.md`)
      const draft = join(dirname(file), `.syncthing.${nameOf(path)}.tmp`)
      writeFileSync(draft, `${bytes}\nFrom the other computer.\n`)
      renameSync(file, copy)
      renameSync(draft, file)
      takeBack.push(() => renameSync(copy, file))
    }
    await settled()
    for (const undo of takeBack) undo()
    await settled()
  }

  /** Some clients close their sessions, and others just disappear. */
  async function clientsComeAndGo() {
    const coming = Array.from({ length: CLIENTS }, async (_, at) => {
      const client = at % 2 === 0 ? httpClient(soak.server) : await httpSession(soak.server)
      for (let call = 0; call < 5; call++) await client.call('get_node', { id: pick(notes()) })
      client.close()
    })
    await Promise.all(coming)
    const alone = anotherServer()
    await alone.initialize()
    await alone.call('get_hubs')
    await alone.close()
    const command = [...soak.command, 'get-hubs', '--vault', vault, '--json']
    const { status, stderr } = spawnSync(process.execPath, command, { env: { ...process.env, ...soak.env }, encoding: 'utf8' })
    if (status !== 0) throw new Error(`roux get-hubs: ${stderr}`)
  }

  const anotherServer = () => new Client(process.execPath, [...soak.command, 'serve', vault], soak.env)

  /** Another server with the same index dies while both write it. */
  async function anotherServerKilled() {
    for (let kill = 0; kill < KILLS; kill++) {
      const other = anotherServer()
      await other.initialize()
      other.call('list_nodes', { limit: 1 }).catch(() => {})
      writeBranch(soak, kill % 2 === 0 ? 'main' : 'other')
      await sleep(random() * 2_000)
      other.process.kill('SIGKILL')
      await other.exited
    }
    await settled()
    rmSync(join(vault, BRANCH), { recursive: true })
    await settled()
  }

  /** While the computer sleeps, more events occur than the kernel's queue holds. */
  async function suspended() {
    soak.server.process.kill('SIGSTOP')
    writeBranch(soak, 'main')
    const takeBack = edit(EDITS)
    await sleep(AWAY * 1000)
    soak.server.process.kill('SIGCONT')
    await settled()
    takeBack()
    rmSync(join(vault, BRANCH), { recursive: true })
    await settled()
  }

  /** The vault is unmounted and returns. Every other time, an empty folder takes its place meanwhile. */
  let unmounts = 0
  async function vaultAway() {
    const away = `${vault} away`
    const isEmptyMeanwhile = unmounts++ % 2 === 1
    renameSync(vault, away)
    if (isEmptyMeanwhile) mkdirSync(vault)
    await sleep(AWAY * 1000)
    if (isEmptyMeanwhile) rmSync(vault, { recursive: true })
    renameSync(away, vault)
    const takeBack = edit(EDITS)
    await settled()
    takeBack()
    await settled()
  }

  async function cacheDiskFull() {
    soak.cache.fill()
    const takeBack = edit(EDITS)
    writeBranch(soak, 'main')
    await settled()
    soak.cache.empty()
    takeBack()
    rmSync(join(vault, BRANCH), { recursive: true })
    await settled()
  }

  async function writesOfClients() {
    const client = httpClient(soak.server)
    const change = async (tool, args) => (await client.call(tool, args)).value.change_id
    for (let at = 0; at < 5; at++) {
      const id = `Soaked by tools ${at}.md`
      const changes = [await change('create_node', { id, content: `[[${nameOf(pick(notes()))}]]` })]
      changes.push(await change('update_node', { id, append: 'One more line.' }))
      changes.push(await change('move_node', { id, to: `Soaked and moved ${at}.md` }))
      for (const change_id of changes.reverse()) await client.call('undo', { change_id })
    }
    client.close()
    await settled()
  }

  return {
    edits,
    'folders renamed': foldersRenamed,
    [`checkout of ${soak.files} files`]: checkout,
    'sync conflicts': syncConflicts,
    'clients come and go': clientsComeAndGo,
    'another server killed': anotherServerKilled,
    suspended,
    'vault away': vaultAway,
    ...(soak.cache === undefined ? {} : { 'cache disk full': cacheDiskFull }),
    'writes of clients': writesOfClients,
  }
}

const BRANCH = 'Soaked branch'
const PER_FOLDER = 100

/** Writes the files of a branch. In `other`, every third note has a different text, and every tenth has a different name. */
function writeBranch({ vault, files }, branch) {
  const isOther = branch === 'other'
  for (let at = 0; at < files; at++) {
    const folder = join(vault, BRANCH, `Part ${Math.floor(at / PER_FOLDER)}`)
    if (at % PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    const [name, former] = isOther && at % 10 === 0 ? [`Other ${at}`, `Note ${at}`] : [`Note ${at}`, `Other ${at}`]
    if (at % 10 === 0) rmSync(join(folder, `${former}.md`), { force: true })
    const next = `[[Note ${(at + (isOther && at % 3 === 0 ? 7 : 1)) % files}]]`
    writeFileSync(join(folder, `${name}.md`), `# ${name}\n\nThe soaked note ${at} leads to ${next}. #branch/${at % 7}\n`)
  }
}

/** Most editors save in this way, so the note is never half written. */
function replace(file, content) {
  writeFileSync(`${file}.tmp`, content)
  renameSync(`${file}.tmp`, file)
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')
}

/** Returns the folders of a vault, without hidden ones and those of a checkout. `''` is the vault itself. */
export function foldersIn(vault) {
  return ['', ...entriesIn(vault, (entry) => entry.isDirectory())]
}

function filesIn(vault) {
  return entriesIn(vault, (entry) => entry.isFile())
}

function entriesIn(vault, isWanted) {
  const isHidden = (path) => path.split('/').some((name) => name.startsWith('.') || name === BRANCH || name === 'node_modules')
  return readdirSync(vault, { recursive: true, withFileTypes: true })
    .filter(isWanted)
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(vault.length + 1))
    .filter((path) => !isHidden(path))
    .sort()
}
