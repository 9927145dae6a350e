import { explainNoNotes } from '../../app/answer/scope-warnings.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { countForReaders } from '../../app/insight/get-problems.ts'
import { userFolders } from '../../config/environment.ts'
import type { LoadedSettings } from '../../config/load.ts'
import { type LoadedVault, readVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import { amount, listSome } from '../../core/text/format.ts'
import { tokenFileIn } from '../../http/tokens.ts'
import { type Look, PLAIN, wrapSentence } from '../output/text.ts'
import { runningFolder, serversOf } from '../serving/running-servers.ts'
import { type Invocation, settingsInput, withCore } from '../session.ts'
import { describeState, sharedState } from '../shared/background.ts'
import {
  checkAi,
  checkCacheFolder,
  checkClients,
  checkDiagnosis,
  checkFileCase,
  checkHttp,
  checkNode,
  checkPublicAddress,
  checkVault,
  checkWatching,
  type Finding,
  fail,
  ok,
  warn,
} from './checks.ts'

export async function run(invocation: Invocation): Promise<number> {
  const { printer, positionals } = invocation
  const findings: Finding[] = [checkNode(process.versions.node)]
  const { server, vaults } = await readVaults(settingsInput(invocation, positionals[0]))
  findings.push(...checkSettings(server))
  for (const vault of vaults) findings.push(...(await checkOneVault(invocation, vault, server)))
  const shared = await sharedState(invocation, { server, vaults })
  if (shared !== undefined) findings.push(ok('shared', describeState(shared)))
  const tokenFile = tokenFileIn(userFolders(invocation.host.env).state)
  findings.push(...(await checkHttp(server.settings.http, tokenFile)))
  findings.push(...(await checkPublicAddress(server.settings.http.public_url)))
  findings.push(...checkClients(invocation.host, { port: server.settings.http.port, tokenFile }))
  const broken = findings.some(({ state }) => state === 'fail')
  await printer.answer(
    { ok: !broken, checks: findings },
    { render: (_, look) => `${findings.map((finding) => renderFinding(finding, look)).join('')}\n${summaryLine(findings)}\n` },
  )
  return broken ? 1 : 0
}

async function checkOneVault(invocation: Invocation, loaded: LoadedVault, server: LoadedSettings): Promise<readonly Finding[]> {
  const { host } = invocation
  const { path, watch } = loaded.settings.vault
  const isStored = loaded.stored !== undefined
  const vault = isStored ? [] : checkVault(path, { isUnlikely: await host.isUnlikelyVault(path), named: loaded.vaultNamed })
  const { diagnose } = await host.compose()
  const findings = [
    ...settingsFindings({
      problems: notYetReported(loaded.problems, server.problems),
      warnings: notYetReported(loaded.warnings, server.warnings),
    }),
    ...vault,
    checkCacheFolder(loaded.settings.cache.path || userFolders(host.env).cache),
    ...checkDiagnosis(await diagnose(loaded.settings, loaded)),
    ...(await checkAi(host, loaded)),
    ...(isStored
      ? []
      : [
          checkWatching(path, watch),
          ...checkFileCase(path, loaded.settings.files.case, loaded.origins.get('files.case')),
          ...checkServers(path, runningFolder(loaded.settings, host.env)),
        ]),
    ...(vault.some(({ state }) => state === 'fail') ? [] : await checkIndexing(invocation, loaded)),
  ]
  const { name } = loaded
  return name === undefined ? findings : findings.map((finding) => ({ ...finding, message: `${name}: ${finding.message}` }))
}

function checkServers(vault: string, folder: string): readonly Finding[] {
  const [first, ...more] = serversOf(folder, vault)
  if (first === undefined) return []
  if (more.length === 0) return [ok('servers', `one process serves this vault: ${first}`)]
  const message = `${more.length + 1} processes serve this vault: ${[first, ...more].join(', ')}`
  const hint = 'That is safe, because they share its index. One shared server ("serve.shared: auto") needs less memory.'
  return [ok('servers', message, hint)]
}

function notYetReported<T>(findings: readonly T[], reported: readonly T[]): readonly T[] {
  return findings.filter((finding) => !reported.includes(finding))
}

function settingsFindings({ problems, warnings }: Pick<LoadedSettings, 'problems' | 'warnings'>): readonly Finding[] {
  return [
    ...problems.map(({ message, hint }): Finding => fail('settings', message, hint)),
    ...warnings.map((message): Finding => warn('settings', message)),
  ]
}

function checkSettings(loaded: LoadedSettings): readonly Finding[] {
  const { files } = loaded
  const findings = settingsFindings(loaded)
  if (findings.length > 0) return findings
  return [ok('settings', files.length > 0 ? `read from ${files.join(', ')}` : 'no settings file; every setting has its default')]
}

async function checkIndexing(invocation: Invocation, loaded: LoadedVault): Promise<readonly Finding[]> {
  try {
    return await withCore(invocation, loaded, (core) => checkCore(core, loaded))
  } catch (error) {
    // If indexing fails unexpectedly, the other findings are still useful.
    return [fail('indexing', error instanceof RouxError ? error.message : String(error))]
  }
}

function unlistedFinding(unlisted: NonNullable<IndexStatus['unlisted']>): Finding {
  const places = unlisted.map(({ path, message }) => `${JSON.stringify(path)} (${message})`)
  return warn(
    'files',
    `not every file or folder can be read: ${listSome(places, MAX_NAMED)}`,
    'Notes there are missing from all answers. Check permissions and names.',
  )
}

const MAX_NAMED = 5

async function checkCore(core: GraphCore, { name, settings, origins }: LoadedVault): Promise<readonly Finding[]> {
  const { mode, cache, message, unlisted = [] } = core.indexing.status()
  const oneItem = { offset: 0, limit: 1 }
  const [notes, nothing, { seen, inComments }] = await core.store.read(async (snapshot) => [
    (await snapshot.select({}, oneItem)).total,
    await explainNoNotes(snapshot),
    await countForReaders({ core, snapshot }),
  ])
  return [
    ok('mode', `${mode ?? settings.vault.mode}, ${reasonOfMode(mode, { settings, origins })}`),
    nothing === undefined ? ok('notes', String(notes)) : warn('notes', `the vault ${nothing.reason}`, nothing.hint),
    ...(unlisted.length === 0 ? [] : [unlistedFinding(unlisted)]),
    cache === 'disk'
      ? ok('indexing', message ?? 'the index is up to date')
      : warn(
          'indexing',
          `the index is kept in memory only: ${message ?? 'unknown reason'}`,
          'Make the cache folder writable, or set cache.path.',
        ),
    {
      ...ok(
        'problems',
        `${seen} in the notes${inComments === 0 ? '' : `, and ${inComments} in comments`}`,
        seen + inComments > 0 ? `"roux get-problems${name === undefined ? '' : ` --vault ${name}`}" lists them.` : undefined,
      ),
      problems: seen + inComments,
    },
  ]
}

function reasonOfMode(mode: string | undefined, { settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): string {
  if (settings.links.profile === 'obsidian') return `implied by links.profile (${origins.get('links.profile')})`
  if (settings.vault.mode !== 'auto') return `set by ${origins.get('vault.mode')}`
  return mode === 'docs'
    ? 'because relative links outnumber wikilinks'
    : 'by its marker folder, or because relative links do not outnumber wikilinks'
}

function summaryLine(findings: readonly Finding[]): string {
  const count = (wanted: Finding['state']): number => findings.filter(({ state }) => state === wanted).length
  const [failures, warnings] = [count('fail'), count('warn')]
  const problems = findings.reduce((sum, finding) => sum + (finding.problems ?? 0), 0)
  const inNotes = problems === 0 ? '' : ` The notes have ${amount(problems, 'problem')}.`
  if (failures + warnings === 0) return problems === 0 ? 'Everything is in order.' : `Roux is in order.${inNotes}`
  const parts = [
    ...(failures === 0 ? [] : [amount(failures, 'failure')]),
    ...(warnings === 0 ? [] : [amount(warnings, 'warning')]),
  ]
  return `${parts.join(' and ')}; the rest is in order.${inNotes}`
}

function renderFinding({ check, state, message, hint }: Finding, { paint = PLAIN, width }: Look): string {
  const mark = state === 'ok' ? 'ok  ' : paint('bold', state)
  const text = [message, ...(hint === undefined ? [] : [hint])].map((line) => wrapSentence(line, width, INDENT))
  return `${mark}  ${check.padEnd(9)} ${text.join(`\n${INDENT}`)}\n`
}

const INDENT = ' '.repeat(16)
