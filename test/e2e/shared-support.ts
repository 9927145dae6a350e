import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWorld, type Wire, type World } from './support.ts'

/** Variables of a process that uses the shared server. */
export const SHARED = { ROUX_SERVE_SHARED: 'auto', ROUX_SERVE_KEEP_MINUTES: '10' }

/** The process ids that have held the lock of a shared server. */
export function serversIn({ root }: World): readonly number[] {
  const folder = join(root, 'run', 'roux')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.holder')) : []
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).pid).filter(isRunning)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The state of the shared server, as `roux status` gives it. */
export async function stateOf(world: World): Promise<Wire> {
  const { out } = await world.roux(['status', '--vault', world.vault], { env: SHARED })
  return JSON.parse(out).shared_server
}

/** A world whose processes can share a server: its folder for sockets is private. */
export function sharedWorld(): World {
  const world = openWorld()
  mkdirSync(join(world.root, 'run'), { mode: 0o700 })
  world.write('a.md', '# A\n\nDense bread, [[b]].\n')
  world.write('b.md', '# B\n')
  return world
}

/** The files of the shared server that runs in this world. */
export function placeOf({ root }: World): { readonly folder: string; file(ending: string): string } {
  const folder = join(root, 'run', 'roux')
  const name =
    readdirSync(folder)
      .find((one) => one.endsWith('.log'))
      ?.replace('.log', '') ?? ''
  return { folder, file: (ending) => join(folder, `${name}.${ending}`) }
}
