/**
 * Compares Roux with other servers for notes and writes docs/comparison.md.
 *
 * Usage: node bench/peers.mjs --peers <folder> [--rounds 3] [--only name,…] [--at vault,…] [name=vault …]
 *
 * `peers.json` says how to install each server, start it over MCP and ask it, and has a remark on the measurements. Installs into the folder, which must be outside this project, and
 * keeps figures there (`figures.json`), so a run can be repeated for some servers (`--only`) or
 * vaults (`--at`). Every server works on its own copy of a vault with a home folder
 * of its own. Besides the given vaults it measures the demo, a generated vault and a hostile one.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureHostile } from './peers/hostile.mjs'
import { measureVault } from './peers/measure.mjs'
import { comparisonPage } from './peers/page.mjs'
import { fill } from './peers/server.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peers: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    at: { type: 'string' },
  },
})
if (values.peers === undefined) {
  console.error('Missing folder. Usage: node bench/peers.mjs --peers <folder outside the project> [name=vault …]')
  process.exit(2)
}
const folder = resolve(values.peers)
const { servers, absent, remark } = JSON.parse(readFileSync(here('peers.json'), 'utf8'))
const places = {
  peers: folder,
  node: process.execPath,
  node22: join(folder, 'node22/node_modules/node/bin/node'),
  roux: here('../dist/cli/main.js'),
}
const chosen = servers.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name))

mkdirSync(folder, { recursive: true })
const missing = installAll()
const vaults = { demo: here('../fixtures/demo'), generated: generatedVault(), ...givenVaults() }
const file = join(folder, 'figures.json')
const running = chosen.filter(({ name }) => !(name in missing))
const isAsked = (vault) => values.at === undefined || values.at.split(',').includes(vault)
for (const [vault, path] of Object.entries(vaults).filter(([name]) => isAsked(name)))
  keep(await measureVault({ vault, path, servers: running, places, rounds: Number(values.rounds) }))
if (isAsked('hostile')) keep(await measureHostile({ servers: running, places }))

/** Adds the figures by server and vault to those of earlier runs. */
function keep(measured) {
  const figures = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  for (const [name, one] of Object.entries(measured)) figures[name] = { ...figures[name], ...one }
  writeFileSync(file, JSON.stringify(figures, undefined, 1))
  writePage(figures)
}

function writePage(figures) {
  const about = {
    date: new Date().toISOString().slice(0, 10),
    processor: `${cpus().length} × ${cpus()[0].model}`,
    node: process.version,
  }
  writeFileSync(here('../docs/comparison.md'), comparisonPage({ servers, absent, remark, missing, figures, about }))
}

/** Installs the servers that are not there yet. For each one that cannot be run, returns the output of the installation. */
function installAll() {
  const failed = {}
  if (chosen.some(({ node22 }) => node22) && !existsSync(places.node22))
    spawnSync('npm', ['install', '--prefix', join(folder, 'node22'), 'node@22'], { stdio: 'inherit' })
  for (const { name, install = [], start, prepare = [start] } of chosen) {
    const program = fill(prepare[0], places).find((word) => word.startsWith(`${folder}/`) && !word.includes('node22'))
    if (program === undefined || existsSync(program)) continue
    for (const [command, ...args] of install.map((words) => fill(words, places))) {
      const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
      if (status === 0) continue
      failed[name] = error?.message ?? stderr.trim().split('\n').slice(-3).join(' ')
      break
    }
  }
  return failed
}

function generatedVault() {
  const path = join(folder, 'generated')
  const args = [here('generate-vault.mjs'), path, '--notes', '2000', '--links', '20000']
  if (!existsSync(path)) spawnSync(process.execPath, args, { stdio: 'inherit' })
  return path
}

function givenVaults() {
  return Object.fromEntries(positionals.map((one) => [one.slice(0, one.indexOf('=')), resolve(one.slice(one.indexOf('=') + 1))]))
}
