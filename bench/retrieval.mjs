// Shared by the retrieval benchmarks: starting a server and scoring its answers.
import { join, resolve } from 'node:path'
import { Client } from './client.mjs'
import { runBundled } from './run-bundled.mjs'

/** `roux eval` uses the same code. */
const statistics = await runBundled('statistics.ts')
export const { DEPTH, average: mean, seededRandom } = statistics

/** Starts a server for the vault, with its files in `scratch`. @returns the server once everything is searchable, and after how many ms. */
export async function openServer({ program, vault, scratch, settings }) {
  const args = [resolve(program), 'serve', vault, ...settings.flatMap((setting) => ['--set', setting])]
  const client = new Client(process.execPath, args, {
    XDG_CACHE_HOME: join(scratch, 'cache'),
    XDG_STATE_HOME: scratch,
    XDG_CONFIG_HOME: scratch,
  })
  await client.initialize()
  return { client, searchable: await awaitSearchable(client) }
}

/** Waits until the server reports no notes left to index. @returns milliseconds since its start. */
async function awaitSearchable(client) {
  for (;;) {
    const { warnings, arrived } = await client.call('search', { query: 'anything', limit: 1 })
    const failed = warnings.find(({ code }) => code === 'FALLBACK')
    // A busy machine needs long to load a model.
    const isLate = failed !== undefined && /did not answer within/.test(failed.message)
    if (failed !== undefined && !isLate && /by meaning/.test(failed.message)) throw new Error(failed.message)
    if (!isLate && !warnings.some(({ code }) => code === 'EMBEDDING' || code === 'INDEX_BUILDING'))
      return arrived - client.started
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** nDCG@10 and reciprocal rank of the results; `gains` maps ids to judgments. */
export function score(found, gains) {
  const got = found.slice(0, DEPTH).map((id) => gains.get(id) ?? 0)
  const first = got.findIndex((gain) => gain > 0)
  return { ndcg: statistics.ndcg(got, [...gains.values()]), mrr: first === -1 ? 0 : 1 / (first + 1) }
}

/** 95 % bootstrap interval of the mean of the lists' means. */
export function bootstrap(lists) {
  const { low, high } = statistics.meanOfMeans(lists)
  return [low, high]
}
