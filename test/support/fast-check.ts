import { createRequire } from 'node:module'
import type FastCheck from 'fast-check'
import { LONG } from './long.ts'

const real: typeof FastCheck = createRequire(import.meta.url)('fast-check')

/**
 * This variable is set for runs of the whole suite, so two runs of one commit have the same result. Otherwise, fast-check chooses
 * a seed and prints it.
 */
const { PROPERTY_SEED } = process.env

/** Returns the number of runs of a property in `npm test`. Properties with few runs keep them all. */
function shortened(runs: number): number {
  return Math.min(runs, Math.max(20, Math.ceil(runs / 5)))
}

const assert = ((property: never, { numRuns, ...options }: FastCheck.Parameters<unknown> = {}) =>
  real.assert(property, {
    ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
    ...options,
    ...(numRuns === undefined ? {} : { numRuns: LONG ? numRuns : shortened(numRuns) }),
  })) as typeof FastCheck.assert

// biome-ignore lint/style/noDefaultExport: what tests import as fast-check.
export default { ...real, assert }
