/**
 * How long `vault.toGraphology()` takes and how much memory the copy needs, and what the text of graphology's GEXF writer adds.
 *
 * Usage: npm run build && node --expose-gc bench/graphology.mjs <vault> [--no-communities] [--gexf]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import gexf from 'graphology-gexf'

const [folder, ...flags] = process.argv.slice(2)
if (folder === undefined || globalThis.gc === undefined) throw new Error('Usage: node --expose-gc bench/graphology.mjs <vault>')
const scratch = mkdtempSync(join(tmpdir(), 'roux-graphology-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const name of ['CACHE', 'STATE', 'CONFIG']) process.env[`XDG_${name}_HOME`] = scratch
const { openVault } = await import('../dist/lib/index.mjs')

const vault = await openVault(folder, { watch: false, set: ['embedder.kind=none'] })
await vault.ready()
if (!flags.includes('--no-communities')) await timed('communities, once', () => vault.map())
const before = heap()
const graph = await timed('toGraphology', async () => {
  const { value } = await vault.toGraphology({ communities: !flags.includes('--no-communities') })
  return value
})
console.log(
  `${graph.order} nodes, ${graph.size} edges, ${Math.round(heap() - before)} MB of heap, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
)
if (flags.includes('--gexf')) {
  const text = await timed('graphology-gexf', () => gexf.write(graph))
  console.log(
    `  ${(text.length / 1e6).toFixed(1)} million characters, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  )
}
await vault.close()

async function timed(name, work) {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(2)} s, ${((user + system) / 1e6).toFixed(2)} s of CPU`)
  return result
}

function heap() {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
