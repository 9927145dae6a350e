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
  // Asked late: an account without any home folder can serve as well.
  get home() {
    return homedir()
  },
  program: { node: process.execPath, script: fileURLToPath(new URL('main.js', import.meta.url)) },
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  compose: () => import('../compose/index.ts'),
  // Not through compose/, which would be loaded whole for this.
  isTooWide: async (folder) => (await import('../vault/vault-root.ts')).isTooWide(folder),
  tools: async () => (await import('../mcp/tools/index.ts')).TOOLS,
  onSignal(listener) {
    // Once: who presses Ctrl+C again does not want to wait.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener)
  },
}

// `roux … | head` ends quietly; the server's transport looks after its own streams.
const isServer = splitCommand(argv).command === 'serve'
if (!isServer) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.stderr.on('error', () => {})

// Node waits for threads, and one that reads a file which does not answer may have no end: then the process ends without a code of its own.
process.on('exit', () => {
  if (isHeldByFile()) process.kill(process.pid, 'SIGKILL')
})

async function main(): Promise<void> {
  if (isServer) bootIndexer()
  process.exitCode = await run(argv, host)
  await endSpare()
  // A client that said `exit` may keep our input open: that must not keep us.
  process.stdin.destroy()
  // A server has waited for its client already, as long as it may.
  if (!isServer) await new Promise((resolve) => process.stdout.write('', resolve))
  // What still holds the process (a worker in a long step) has nothing more to tell.
  setTimeout(() => process.exit(), SHUTDOWN.gone - SHUTDOWN.closed).unref()
}

void main()
