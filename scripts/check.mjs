/**
 * Runs every `check:…` script of package.json in parallel. Prints each one's output in one piece when it finishes.
 *
 * Usage: npm run check
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'))
const passed = await Promise.all(names.map(run))
process.exitCode = passed.every(Boolean) ? 0 : 1

function run(name) {
  const started = performance.now()
  const child = spawn(`npm run --silent ${name}`, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) =>
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output))
      console.log(`${name}: ${code === 0 ? 'passed' : 'failed'} after ${((performance.now() - started) / 1000).toFixed(1)} s`)
      resolve(code === 0)
    }),
  )
}
