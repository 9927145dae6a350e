#!/usr/bin/env node
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { SHUTDOWN } from '../core/waiting.ts'
import { greetingFor, handOver } from '../relay/greeting.ts'
import { SHARED_COMMAND } from '../relay/start-server.ts'
import { isBlockedByFile } from '../workers/files/file-threads.ts'
import { bootIndexer, endSpare } from '../workers/spare-worker.ts'
import { leaveNativeCode } from '../workers/thread-guard.ts'
import { splitCommand } from './arguments.ts'
import type { Host } from './host.ts'
import { run } from './run.ts'

const argv = process.argv.slice(2)
const { unsharedReason, streams } = handOver
const { stdin, stdout } = streams ?? process

const host: Host = {
  cwd: process.cwd(),
  env: process.env,
  platform: process.platform,
  // The property is a getter, because `homedir()` throws if there is no home folder.
  get home() {
    return homedir()
  },
  program: { node: process.execPath, script: fileURLToPath(new URL('main.js', import.meta.url)) },
  stdin,
  stdout,
  stderr: process.stderr,
  compose: () => import('../compose/index.ts'),
  // The module is imported directly, because `compose/` would load all adapters.
  isUnlikelyVault: async (folder) => (await import('../vault/vault-root.ts')).isUnlikelyVault(folder),
  tools: async () => (await import('../mcp/tools/index.ts')).TOOLS,
  onSignal(listener) {
    // Listen only once, so a second Ctrl+C terminates the process immediately.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener)
  },
  sharing: {
    script: fileURLToPath(import.meta.url),
    ...(unsharedReason === undefined ? {} : { unsharedReason }),
    bootIndexer,
  },
}

// Stream errors end a command, because `roux … | head` must exit quietly. Servers handle them in their transport.
const isShared = argv[0] === SHARED_COMMAND
const isServer = isShared || splitCommand(argv).command === 'serve'
const mayRelay = unsharedReason === undefined && greetingFor(argv, process.env) !== undefined
if (!isServer) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.stderr.on('error', () => {})

// The process does not wait for threads, which may be blocked on I/O.
process.on('exit', () => {
  if (isBlockedByFile() || !leaveNativeCode()) process.kill(process.pid, 'SIGKILL')
})

async function main(): Promise<void> {
  if (isServer && (isShared || !mayRelay)) bootIndexer()
  const code = isShared ? await (await import('./shared/shared-server.ts')).runSharedServer(host) : await run(argv, host)
  await endSpare()
  // The relay exits after the last response.
  if (streams !== undefined) return streams.finish(code)
  process.exitCode = code
  // A client that has sent `exit` may keep stdin open, so do not wait for it to close.
  process.stdin.destroy()
  // A command flushes stdout. A server has already waited for the client.
  if (!isServer) await new Promise((resolve) => process.stdout.write('', resolve))
  // The timer ends the process, because a busy worker may keep it alive.
  setTimeout(() => process.exit(), SHUTDOWN.gone - SHUTDOWN.closed).unref()
}

void main()
