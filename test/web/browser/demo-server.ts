import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the demo, and the page's data of its session. */
    readonly demo: { readonly url: string; readonly session: string }
  }
}

/** Serves a copy of the demo to all tests that only read it. Its communities are known from the beginning. */
// biome-ignore lint/style/noDefaultExport: the test runner calls this export
export default async function serveDemo({ provide }: TestProject): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
  const root = mkdtempSync(join(tmpdir(), 'roux-demo-'))
  const vault = join(root, 'vault')
  mkdirSync(vault)
  cpSync(fileURLToPath(new URL('../../../fixtures/demo', import.meta.url)), vault, { recursive: true, preserveTimestamps: true })
  const folders = ['HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'LOCALAPPDATA', 'APPDATA']
  const env = { ...process.env, ROUX_SERVE_SHARED: 'off', ...Object.fromEntries(folders.map((name) => [name, join(root, name)])) }
  execFileSync(process.execPath, [program, 'map', '--vault', vault], { env, cwd: root })
  const child = spawn(process.execPath, [program, 'open', vault, '--print'], { env, cwd: root })
  const address = await addressOf(child)
  provide('demo', { url: `${new URL(address).origin}/`, session: await sessionOf(address) })
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

/**
 * Returns the address that `roux open` prints, with a code that works for one browser. `onOutput` receives everything that it
 * prints.
 */
export function addressOf(
  child: ChildProcessWithoutNullStreams,
  onOutput: (told: string) => void = () => undefined,
): Promise<string> {
  let told = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        told += part
        onOutput(told)
        const [found] = /http:\/\/\S+/.exec(told) ?? []
        if (found !== undefined) resolve(found)
      })
    child.on('exit', () => reject(new Error(`roux open ended: ${told}`)))
  })
}

/** Exchanges the code in an address for the data of a session, which any number of windows may use. */
export async function sessionOf(address: string): Promise<string> {
  const { origin, hash } = new URL(address)
  const opened = await fetch(`${origin}/web/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ code: new URLSearchParams(hash.slice(1)).get('code') }),
  })
  return await opened.text()
}
