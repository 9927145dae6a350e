/** Whether `npm run test:long` runs: every property as often as it says, and the tests that take long. */
export const LONG = process.env.LONG_TESTS === 'long'
