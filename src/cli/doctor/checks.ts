import { accessSync, constants, type Dirent, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Diagnosis, IndexDiagnosis } from '../../compose/index.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { errorCode } from '../../core/error-code.ts'
import { RouxError } from '../../core/errors.ts'
import { askHealth } from '../../http/health.ts'
import { isEveryAddress, isLoopbackAddress } from '../../http/host-and-origin.ts'
import { isOpenToOthers, modeOf, readTokens } from '../../http/token-file.ts'
import type { Host } from '../host.ts'

/** A damaged file is replaced when it is next used. */
const REBUILT = 'It is rebuilt automatically; "roux index" rebuilds it now.'

/** The result of one check. `warn`: it works, but not well. `fail`: it does not work. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** How to fix it. */
  readonly hint?: string
}

/** Checks the version of Node. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return { check: 'node', state: 'ok', message: version }
  return { check: 'node', state: 'fail', message: `${version} is too old`, hint: 'Install Node 20.19 or newer.' }
}

/** Checks that the vault is a readable folder and probably a vault. */
export function checkVault(
  path: string,
  { tooWide, named }: { readonly tooWide: boolean; readonly named: boolean },
): readonly Finding[] {
  try {
    readdirSync(path)
  } catch (error) {
    const code = errorCode(error)
    const message =
      code === 'ENOENT'
        ? `there is no folder ${path}`
        : code === 'ENOTDIR'
          ? `${path} is not a folder`
          : `${path} may not be read (${code})`
    return [
      {
        check: 'vault',
        state: 'fail',
        message,
        hint: 'Name the folder with the notes: --vault <folder>, ROUX_VAULT or the setting vault.path.',
      },
    ]
  }
  if (tooWide) return [wideFinding(path, named)]
  const outer = outerVault(path)
  if (outer === undefined) return [{ check: 'vault', state: 'ok', message: path }]
  return [
    {
      check: 'vault',
      state: 'warn',
      message: `${path} lies inside the vault ${outer}`,
      hint: 'Links out of it stay unresolved; use the outer folder if you mean that.',
    },
  ]
}

/** Checks that the cache folder can be written. Writes nothing. */
export function checkCacheFolder(folder: string): Finding {
  let existing = folder
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    if (!statSync(existing).isDirectory()) throw new Error(`${existing} is not a folder`)
    return { check: 'cache', state: 'ok', message: folder }
  } catch (error) {
    const message = `${folder} cannot be written: ${(error as Error).message}`
    return {
      check: 'cache',
      state: 'warn',
      message,
      hint: 'The index stays in memory and is rebuilt at every start; set cache.path or XDG_CACHE_HOME to a writable folder.',
    }
  }
}

/** Checks that changes can be noticed with the configured `vault.watch`. */
export function checkWatching(vault: string, watch: Settings['vault']['watch'], platform: string = process.platform): Finding {
  if (watch === 'off')
    return { check: 'watch', state: 'warn', message: 'off: a server does not notice changes', hint: 'Set vault.watch to auto.' }
  if (watch === 'polling') return { check: 'watch', state: 'ok', message: 'polling' }
  const limit = platform === 'linux' ? inotifyLimit() : undefined
  if (limit === undefined) return { check: 'watch', state: 'ok', message: 'events of the file system' }
  // Each folder takes one watch, and other programs of the same user share the limit.
  const folders = countFolders(vault, limit)
  const message = `events of the file system: ${folders} ${folders === 1 ? 'folder' : 'folders'}, fs.inotify.max_user_watches is ${limit}`
  if (folders < limit / 2) return { check: 'watch', state: 'ok', message }
  return {
    check: 'watch',
    state: 'warn',
    message,
    hint: `Raise it (sudo sysctl fs.inotify.max_user_watches=${Math.max(524_288, folders * 4)}), or set vault.watch to polling.`,
  }
}

/** Warns when the vault's application keeps spellings, but an old settings file names new notes in lower case. */
export function checkFileCase(vault: string, spelling: Settings['files']['case'], where: string | undefined): readonly Finding[] {
  const marker = spelling === 'lower' ? ['.obsidian', '.foam', 'logseq'].find((name) => existsSync(join(vault, name))) : undefined
  if (marker === undefined) return []
  const message = `files.case is lower (${where ?? 'by default'}): new notes get names in lower case, although the vault has a folder ${marker}`
  const hint = 'Earlier versions wrote that into settings files. Remove it or set files.case to auto, unless you want it.'
  return [{ check: 'case', state: 'warn', message, hint }]
}

function wideFinding(path: string, named: boolean): Finding {
  const message = `${path} contains a home folder or a whole disk, so it is probably not a vault`
  if (named) return { check: 'vault', state: 'warn', message, hint: 'A smaller folder is faster and shows an assistant less.' }
  return {
    check: 'vault',
    state: 'fail',
    message,
    hint: 'Name the folder with the notes; --vault accepts this one, too.',
  }
}

function outerVault(path: string): string | undefined {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if (['.obsidian', '.foam'].some((marker) => existsSync(join(above, marker)))) return above
  }
  return undefined
}

function inotifyLimit(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function countFolders(root: string, atMost: number): number {
  const open = [root]
  let count = 0
  for (let folder = open.pop(); folder !== undefined && count < atMost; folder = open.pop()) {
    count++
    for (const entry of foldersIn(folder)) open.push(join(folder, entry.name))
  }
  return count
}

function foldersIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
    )
  } catch {
    return []
  }
}

/** Checks the configuration of the chat model, if it is on. Opens no connection; `roux ai test` does. */
export async function checkAi(host: Host, { settings, aiKey }: LoadedVault): Promise<readonly Finding[]> {
  const { ai } = settings
  if (!ai.enabled) return []
  if (ai.provider === 'none' || ai.model === '') {
    return [
      {
        check: 'ai',
        state: 'warn',
        message: 'ai.enabled is true, but no chat model is set',
        hint: 'Set ai.provider and ai.model.',
      },
    ]
  }
  const { openAiDesk } = await host.compose()
  const desk = await openAiDesk(settings, aiKey)
  try {
    const chat = (await desk.models()).find(({ use }) => use === 'chat')
    if (chat === undefined) return []
    const { origin, location, isAllowed, hasConsent } = chat
    const where = location === 'local' ? 'on this computer' : `on another computer, ${origin}`
    if (isAllowed && hasConsent) return [{ check: 'ai', state: 'ok', message: `${chat.model}, ${where}; "roux ai test" asks it` }]
    const says = [
      ...(hasConsent ? [] : [`"roux ai allow ${origin}"`]),
      ...(isAllowed ? [] : [`ai.allow_remote: ["${new URL(origin).host}"]`]),
    ]
    return [
      {
        check: 'ai',
        state: 'warn',
        message: `${chat.model} is ${where}, and may not be asked`,
        hint: `It may after ${says.join(' and ')}.`,
      },
    ]
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [{ check: 'ai', state: 'fail', message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }]
  } finally {
    desk.close()
  }
}

/** Checks whether HTTP could be served: port, address, tokens. Changes nothing. */
export async function checkHttp(http: Settings['http'], tokenFile: string): Promise<readonly Finding[]> {
  return [await checkPort(http), checkTokens(tokenFile)]
}

async function checkPort({ host, port }: Settings['http']): Promise<Finding> {
  const place = `port ${port} of ${host}`
  if (port === 0) return { check: 'http', state: 'ok', message: 'any free port' }
  const occupant = await askHealth(isEveryAddress(host) ? '127.0.0.1' : host, port)
  if (occupant === 'roux')
    return {
      check: 'http',
      state: 'ok',
      message: `a Roux serves at ${place}`,
      hint: 'To serve another vault as well, choose another port: "roux serve --http 0" uses any free one.',
    }
  if (occupant === 'other')
    return {
      check: 'http',
      state: 'warn',
      message: `another program has ${place}`,
      hint: 'Set http.port to another port, or to 0 for any free port.',
    }
  if (isLoopbackAddress(host)) return { check: 'http', state: 'ok', message: `${place} is free` }
  return {
    check: 'http',
    state: 'warn',
    message: `${place} is free, and other computers could connect`,
    hint: 'The connection is not encrypted: set http.host to 127.0.0.1 behind a reverse proxy with TLS.',
  }
}

function checkTokens(file: string): Finding {
  try {
    const tokens = readTokens(file)
    if (tokens === undefined) return { check: 'tokens', state: 'ok', message: 'none yet; the first is created on demand' }
    const mode = modeOf(file)
    if (mode === undefined || !isOpenToOthers(mode))
      return { check: 'tokens', state: 'ok', message: `${tokens.length} in ${file}` }
    return {
      check: 'tokens',
      state: 'warn',
      message: `other users of this computer can read ${file} (mode ${mode.toString(8)})`,
      hint: 'The next "roux token list" or server corrects it; "roux token rotate" gives new secrets.',
    }
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return { check: 'tokens', state: 'fail', message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) }
  }
}

/** Turns the adapters' facts into findings: database, indexes, embedder. */
export function checkDiagnosis({ sqlite, index, searchIndex, embedder, hnsw, database }: Diagnosis): readonly Finding[] {
  const loads: Finding =
    sqlite.message === undefined
      ? { check: 'sqlite', state: 'ok', message: `SQLite ${sqlite.version ?? ''} loads`.replace('  ', ' ') }
      : {
          check: 'sqlite',
          state: 'fail',
          message: `SQLite does not load: ${sqlite.message}`,
          hint: 'Install again, for this platform and this Node: npm install.',
        }
  return [
    loads,
    ...(database === undefined
      ? [indexFinding('index', index), indexFinding('search', searchIndex)]
      : database.map((finding): Finding => ({ check: 'database', ...finding }))),
    ...embedder.map(
      ({ works, message, hint }): Finding => ({
        check: 'embedder',
        state: works ? 'ok' : 'fail',
        message: works ? message : `${message} Until then notes are found by words only.`,
        ...(hint === undefined ? {} : { hint }),
      }),
    ),
    ...(hnsw === undefined ? [] : [hnswFinding(hnsw)]),
  ]
}

function indexFinding(check: 'index' | 'search', { file, state, message }: IndexDiagnosis): Finding {
  const because = message === undefined ? '' : ` (${message})`
  const name = check === 'index' ? 'index' : 'search index'
  switch (state) {
    case 'absent':
      return { check, state: 'ok', message: 'none yet; it is created on demand' }
    case 'present':
      return { check, state: 'ok', message: file }
    case 'damaged':
      return {
        check,
        state: 'warn',
        message: `${file} is damaged${because}`,
        hint: REBUILT,
      }
    case 'foreign':
      return {
        check,
        state: 'warn',
        message: `${file} is no ${name} of Roux${because}`,
        hint: REBUILT,
      }
    case 'newer':
    case 'older':
      return {
        check,
        state: 'warn',
        message: `${file} was written by ${state === 'newer' ? 'a newer' : 'an older'} version of Roux${because}`,
        hint: REBUILT,
      }
  }
}

function hnswFinding(reason: string): Finding {
  return {
    check: 'vectors',
    state: 'warn',
    message: `vectors.index is hnsw, but ${reason}`,
    hint: 'With Python and a C++ compiler, "npm rebuild hnswlib-node --ignore-scripts=false" builds it where Roux is installed ("npm install -g hnswlib-node@3.0.0" first if it is not there); or set vectors.index to auto.',
  }
}
