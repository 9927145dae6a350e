// Shared by the retrieval benchmarks: starting a server and scoring its answers.
import { join, resolve } from 'node:path'
import { Client, quantile } from './client.mjs'

/** How many results count. */
export const DEPTH = 10
const SAMPLES = 2_000

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
    // A busy machine loads a model slowly.
    const isLate = failed !== undefined && /did not answer within/.test(failed.message)
    if (failed !== undefined && !isLate && /by meaning/.test(failed.message)) throw new Error(failed.message)
    if (!isLate && !warnings.some(({ code }) => code === 'EMBEDDING' || code === 'INDEX_BUILDING'))
      return arrived - client.started
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** nDCG@10 (linear gain, as trec_eval's ndcg_cut) and reciprocal rank of the results; `gains` maps ids to judgements. */
export function score(found, gains) {
  const discounted = (values) => values.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
  const ideal = [...gains.values()].filter((gain) => gain > 0).sort((a, b) => b - a)
  const got = found.slice(0, DEPTH).map((id) => Math.max(0, gains.get(id) ?? 0))
  const first = got.findIndex((gain) => gain > 0)
  return { ndcg: discounted(got) / discounted(ideal.slice(0, DEPTH)), mrr: first === -1 ? 0 : 1 / (first + 1) }
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** 95 % bootstrap interval of the mean of the lists' means, resampling within each list. */
export function bootstrap(lists) {
  const random = randomFrom(1)
  const draw = (values) => mean(values.map(() => values[Math.floor(random() * values.length)]))
  const means = Array.from({ length: SAMPLES }, () => mean(lists.map(draw)))
  return [quantile(means, 0.025), quantile(means, 0.975)]
}

/** Park and Miller's generator: 0 ≤ value < 1. */
export function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
