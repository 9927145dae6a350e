/** Whether `npm run test:long` runs: all runs of every property, and slow tests. */
export const LONG = process.env.LONG_TESTS === 'long'
