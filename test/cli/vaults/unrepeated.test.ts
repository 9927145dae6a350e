import { expect, test } from 'vitest'
import { unrepeated } from '../../../src/cli/vaults/feed.ts'

test('a feeder says a thing once until there is something else to say', () => {
  const said: string[] = []
  const say = unrepeated((line) => said.push(line))
  for (const line of ['away', 'away', 'feeding', 'up to date', 'up to date', 'away']) say(line)
  expect(said).toEqual(['away', 'feeding', 'up to date', 'away'])
})
