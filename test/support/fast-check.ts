import { createRequire } from 'node:module'
import type FastCheck from 'fast-check'
import { LONG } from './long.ts'

const real: typeof FastCheck = createRequire(import.meta.url)('fast-check')

/** How many runs of a property `npm test` makes; a property that is run a few times only has something to show each time. */
function shortened(runs: number): number {
  return Math.min(runs, Math.max(20, Math.ceil(runs / 5)))
}

const assert = ((property: never, { numRuns, ...options }: FastCheck.Parameters<unknown> = {}) =>
  real.assert(property, {
    ...options,
    ...(numRuns === undefined ? {} : { numRuns: LONG ? numRuns : shortened(numRuns) }),
  })) as typeof FastCheck.assert

// biome-ignore lint/style/noDefaultExport: what tests import as fast-check.
export default { ...real, assert }
