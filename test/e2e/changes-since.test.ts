import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openWorld, type Wire } from './support.ts'

test('changes by an editor, the server and a command are each reported once, and our own are marked', async () => {
  const world = openWorld({ fixture: 'demo' })
  const server = world.serve([world.vault, '--write'])
  await server.initialize()
  const { cursor } = await server.ask('changes_since')
  const written = await server.ask('update_node', { id: 'Concepts/Staling', append: 'See [[Salt]].' })
  world.write('Inbox/New.md', 'By hand, see [[Salt]] and [[Nothing yet]].\n')
  renameSync(join(world.vault, 'Ingredients/Malt.md'), join(world.vault, 'Ingredients/Malted.md'))
  const { code } = await world.roux([
    'create-node',
    'Inbox/Second.md',
    '--content',
    '[[Salt]]',
    '--write',
    '--vault',
    world.vault,
  ])
  expect(code).toBe(0)
  await eventually(async () => {
    const { notes, links, totals } = await server.ask('changes_since', { cursor })
    const ids = (list: readonly Wire[]) => list.map(({ id }) => id).sort()
    expect(ids(notes.added)).toEqual(['inbox/new.md', 'inbox/second.md'])
    expect(notes.moved).toMatchObject([{ id: 'ingredients/malted.md', from: 'ingredients/malt.md' }])
    expect(notes.changed).toMatchObject([{ id: 'concepts/staling.md', title: expect.any(String), change_id: written.change_id }])
    const toSalt = links.gained.filter(({ to }: Wire) => to === 'ingredients/salt.md')
    expect(toSalt.map(({ from }: Wire) => from).sort()).toEqual(['concepts/staling.md', 'inbox/new.md', 'inbox/second.md'])
    expect(totals.added).toBe(2)
  })
  const forgotten = await world.roux(['forget', '--yes', world.vault])
  expect(JSON.parse(forgotten.out).forgotten).toMatchObject({ changes: 2 })
  expect((await server.ask('list_changes')).length).toBe(0)
  const again = await server.ask('changes_since', { cursor })
  expect(again.totals).toEqual({})
  expect(again.state.notes).toBeGreaterThan(0)
})

test('a server whose state folder cannot be written indexes, and says that nothing is logged', async () => {
  const world = openWorld()
  world.write('a.md', '[[b]]')
  writeFileSync(join(world.root, 'file'), '')
  const server = world.serve([world.vault], { env: { XDG_STATE_HOME: join(world.root, 'file') } })
  await server.initialize()
  await server.ask('list_tags')
  world.write('b.md', '')
  await eventually(async () => {
    const { state } = await server.ask('changes_since', { since: '1h' })
    expect(state).toEqual({ notes: 2, links: 1, broken: 0, orphans: 0 })
  })
})
