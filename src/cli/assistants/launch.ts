import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { RouxError } from '../../core/errors.ts'
import type { Launch } from '../../install/client.ts'
import type { Host } from '../host.ts'
import type { Invocation } from '../session.ts'
import type { VaultsToServe } from './vaults-to-serve.ts'

/**
 * The command that serves these vaults, for programs that know neither a shell nor its path: this Node, this script, and the options of
 * this run that a server understands, all paths absolute.
 * @throws RouxError for a vault whose path these programs would read as one with a variable in it
 */
export function launchOf({ host, options }: Invocation, { vault, config: file }: VaultsToServe): Launch {
  if (vault?.includes('${'))
    throw new RouxError('INVALID_PARAMS', `${vault} has "\${" in it, which such programs take for a variable.`, {
      hint: 'Make a symbolic link to it, and name that: --vault <link>.',
    })
  const config = file ?? (options.get('config') as string | undefined)
  const settings = (options.get('set') as readonly string[] | undefined) ?? []
  return {
    command: stableNode(host),
    args: [
      host.program.script,
      'serve',
      ...(vault === undefined ? [] : [vault]),
      ...(config === undefined ? [] : ['--config', resolve(host.cwd, config)]),
      ...settings.flatMap((setting) => ['--set', setting]),
      ...(options.get('write') === true ? ['--write'] : []),
    ],
  }
}

/** What a person should know of a command: how long its paths can be relied on. */
export function warningsOf({ command, args: [script = ''] }: Launch): readonly string[] {
  if (/[\\/]_npx[\\/]/.test(script))
    return [`${script} lies in a folder that npm empties at times: install Roux (npm install -g), then run this again.`]
  const passing = [command, script].find(namesVersion)
  if (passing === undefined) return []
  return [`${passing} belongs to one version of Node: when that is removed, run this again; "roux doctor" tells.`]
}

/**
 * The Node that runs, by a path that outlives its next version where there is one: package managers link `node` in the path to the
 * version that is current, while the running program knows only the version's own folder.
 */
function stableNode({ program, env, platform }: Host): string {
  if (!namesVersion(program.node)) return program.node
  const names = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !PASSING.test(folder))
    .map((folder) => join(folder, platform === 'win32' ? 'node.exe' : 'node'))
  return names.find((name) => !namesVersion(name) && isSame(name, program.node)) ?? program.node
}

/** Folders of links that are made for one shell and end with it. */
const PASSING = /[\\/]fnm_multishells[\\/]/

/** A path of which a folder is named after a version: `…/v20.19.0/bin/node`. */
function namesVersion(path: string): boolean {
  return /[\\/](?:node[-@])?v?\d+\.\d+[^\\/]*[\\/]/.test(path)
}

function isSame(path: string, real: string): boolean {
  try {
    return realpathSync.native(path) === realpathSync.native(real)
  } catch {
    return false
  }
}
