import { expect, test } from 'vitest'
import { mergeWarnings } from '../../../src/mcp/calls/reach.ts'

const unknown = (name: string, rest = '') =>
  ({ code: 'UNKNOWN_ID', message: `There is no node ${JSON.stringify(name)}.${rest}` }) as const
const of = (vault: string, ...warnings: readonly ReturnType<typeof unknown>[]) => ({ vault, answer: { value: [], warnings } })

test('a name that one of several vaults knows is not said to be unknown', () => {
  expect(
    mergeWarnings([of('a', unknown('Ann'), unknown('Bob')), of('b', unknown('Bob', ' Nearest ids: "b:rob.md".'))], 'all'),
  ).toEqual([
    { code: 'UNKNOWN_ID', message: 'a: There is no node "Bob".' },
    { code: 'UNKNOWN_ID', message: 'b: There is no node "Bob". Nearest ids: "b:rob.md".' },
  ])
})

test('where vaults were asked for different ids each unknown one is told', () => {
  expect(mergeWarnings([of('a', unknown('Ann')), of('b')], 'each')).toHaveLength(1)
})
