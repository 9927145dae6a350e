#!/usr/bin/env node
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { SHUTDOWN } from '../core/waiting/shutdown.ts'
import { isHeldByFile } from '../workers/files/file-threads.ts'
import { bootIndexer, endSpare } from '../workers/spare-worker.ts'
import { splitCommand } from './arguments.ts'
import type { Host } from './host.ts'
import { run } from './run.ts'

const argv = process.argv.slice(2)

const host: Host = {
  cwd: process.cwd(),
  env: process.env,
  platform: process.platform,
  // Computed on demand: a server works without a home folder.
  get home() {
    return homedir()
  },
  program: { node: process.execPath, script: fileURLToPath(new URL('main.js', import.meta.url)) },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  compose: () => import('../compose/index.ts'),
  // Imported directly, because `compose/` would load everything.
  isTooWide: async (folder) => (await import('../vault/vault-root.ts')).isTooWide(folder),
  tools: async () => (await import('../mcp/tools/index.ts')).TOOLS,
  onSignal(listener) {
    // Only once: a second Ctrl+C ends the process at once.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener)
  },
}

// `roux … | head` must end quietly. The server's transport handles its own streams.
const isServer = splitCommand(argv).command === 'serve'
if (!isServer) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.stderr.on('error', () => {})

// Node waits for threads, and one may hang on a file that does not respond. End the process without waiting.
process.on('exit', () => {
  if (isHeldByFile()) process.kill(process.pid, 'SIGKILL')
})

async function main(): Promise<void> {
  if (isServer) bootIndexer()
  process.exitCode = await run(argv, host)
  await endSpare()
  // A client that sent `exit` may keep our input open; do not wait for it.
  process.stdin.destroy()
  // A server has already waited for its client.
  if (!isServer) await new Promise((resolve) => process.stdout.write('', resolve))
  // A worker in a long step may still hold the process. It has nothing more to report.
  setTimeout(() => process.exit(), SHUTDOWN.gone - SHUTDOWN.closed).unref()
}

void main()
