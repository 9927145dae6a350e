import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { factsOf, openWorld, type Server, type Wire, type World } from './support.ts'

interface Watching {
  readonly world: World
  readonly server: Server
  /** A path in the vault. */
  at(path: string): string
  /** Waits until a note's text is this, or `null` when it is gone. */
  says(id: string, content: string | null): Promise<void>
  /** Waits until a tool's answer matches. */
  answers(tool: string, args: object, expected: Wire): Promise<void>
}

async function watch(world: World, args: readonly string[] = []): Promise<Watching> {
  const server = world.serve([world.vault, ...args])
  await server.initialize()
  // The vault is watched from now on. Earlier changes would be read in any case.
  await server.ask('list_tags')
  const answers = (tool: string, toolArgs: object, expected: Wire) =>
    eventually(async () => expect(await server.ask(tool, toolArgs)).toEqual(expected))
  return {
    world,
    server,
    at: (path) => join(world.vault, path),
    answers,
    says: (id, content) => answers('get_node', { id }, content === null ? null : expect.objectContaining({ content })),
  }
}

const brokenLinks = async (server: Server) => {
  const { problems } = await server.ask('get_problems', { kind: 'broken_link', limit: 100 })
  return problems.map(({ id, text }: Wire) => `${id}: ${text}`)
}

describe.each([
  ['events', []],
  ['polling', ['--set', 'vault.watch=polling']],
])('a server that watches by %s', (_, options) => {
  test('sees every kind of change', async () => {
    const { world, server, at, says, answers } = await watch(openWorld({ fixture: 'demo' }), options)
    const total = (await server.ask('list_nodes', { limit: 1 })).total

    // All changes are made at once, because polling is slow.
    world.write('Inbox/New.md', 'Made by hand, see [[Gluten]].\n')
    world.write('Inbox/Größe & Ähnliches 🍞.md', 'With #Umlaute and an emoji.\n')
    world.write('Concepts/Staling.md', 'Edited: [[Salt]].\n')
    rmSync(at('Faults/Pale crust.md'))
    renameSync(at('Ingredients/Malt.md'), at('Ingredients/Malted Barley.md'))
    writeFileSync(at('.draft.tmp'), 'Put in place in one step.\n')
    renameSync(at('.draft.tmp'), at('Concepts/Enzymes.md'))
    renameSync(at('History'), join(world.root, 'elsewhere'))
    await says('inbox/new.md', 'Made by hand, see [[Gluten]].\n')
    await says('INBOX/größe & ähnliches 🍞', 'With #Umlaute and an emoji.\n')
    await says('concepts/staling.md', 'Edited: [[Salt]].\n')
    await says('faults/pale crust.md', null)
    await says('ingredients/malt.md', null)
    await answers('nodes_exist', { ids: ['ingredients/malted barley'] }, { 'ingredients/malted barley.md': true })
    await says('concepts/enzymes.md', 'Put in place in one step.\n')
    await answers('list_nodes', { path: 'history/' }, { nodes: [], total: 0 })
    await answers('search_by_tags', { tags: ['umlaute'] }, [expect.objectContaining({ id: 'inbox/größe & ähnliches 🍞.md' })])
    await answers('find_path', { source: 'inbox/new', target: 'concepts/gluten' }, expect.objectContaining({ length: 1 }))
    expect((await brokenLinks(server)).some((line: string) => line.includes('[[Malt]]'))).toBe(true)

    const moved = await server.ask('list_nodes', { limit: 1 })
    renameSync(join(world.root, 'elsewhere'), at('History'))
    await answers('list_nodes', { limit: 1 }, { nodes: expect.anything(), total: moved.total + 2 })
    expect(moved.total + 2).toBe(total + 1)
    expect((await server.end()).code).toBe(0)
  })
})

describe('a server that watches', () => {
  test('resolves a broken link when an alias appears, and breaks it when it disappears', async () => {
    const { world, server, at } = await watch(openWorld({ fixture: 'demo' }))
    const link = 'techniques/baking with steam.md: [[Steam generator comparison]]'
    expect(await brokenLinks(server)).toContain(link)
    const before = readFileSync(at('Techniques/Proofing.md'), 'utf8')
    world.write('Techniques/Proofing.md', before.replace('---\n', '---\naliases: [Steam generator comparison]\n'))
    await eventually(async () => expect(await brokenLinks(server)).not.toContain(link))
    const [end] = (await server.ask('find_path', { source: 'techniques/baking with steam', target: 'techniques/proofing' })).hops
    expect(end.from).toBe('techniques/baking with steam.md')
    world.write('Techniques/Proofing.md', before)
    await eventually(async () => expect(await brokenLinks(server)).toContain(link))
  })

  test('follows a change of the excluded folders', async () => {
    const { world, answers } = await watch(openWorld({ fixture: 'demo' }))
    const people = (total: number) => answers('list_nodes', { path: 'people/', limit: 1 }, expect.objectContaining({ total }))
    await people(4)
    world.write('.obsidian/app.json', '{"userIgnoreFilters": ["Templates/", "People/"]}')
    await people(0)
    world.write('.obsidian/app.json', '{"userIgnoreFilters": ["Templates/"]}')
    await people(4)
  })

  test('follows a checkout of a thousand files, and back', async () => {
    const world = openWorld()
    const branch = (name: string) => {
      for (let i = 0; i < 1000; i++) {
        if (name === 'other' && i % 10 === 0) rmSync(join(world.vault, `d${i % 25}/n${i}.md`))
        else world.write(`d${i % 25}/n${i}.md`, `#${name} [[n${(i * 7 + 1) % 1000}]] ${name}\n`)
      }
    }
    branch('main')
    const { answers } = await watch(world)
    const tags = (counts: Readonly<Record<string, number>>) =>
      answers(
        'list_tags',
        {},
        Object.entries(counts).map(([tag, count]) => ({ tag, count })),
      )
    await tags({ main: 1000 })
    await answers('get_problems', { kind: 'broken_link', limit: 1 }, { problems: [], total: 0 })
    branch('other')
    await tags({ other: 900 })
    // Every tenth note is deleted: 100 links pointed there, ten of them from deleted notes.
    const gone = (i: number) => i % 10 === 0
    const broken = Array.from({ length: 1000 }, (_, i) => i).filter((i) => !gone(i) && gone((i * 7 + 1) % 1000)).length
    await answers('get_problems', { kind: 'broken_link', limit: 1 }, { problems: [expect.anything()], total: broken })
    branch('main')
    await tags({ main: 1000 })
    await answers('get_problems', { kind: 'broken_link', limit: 1 }, { problems: [], total: 0 })
  })

  test('watches a vault behind a symbolic link', async () => {
    const world = openWorld({ fixture: 'docs-folder' })
    symlinkSync(world.vault, join(world.root, 'link'))
    const { says } = await watch({ ...world, vault: join(world.root, 'link') })
    world.write('guide/Upgrade.md', 'Written through the folder itself.\n')
    await says('guide/upgrade.md', 'Written through the folder itself.\n')
    writeFileSync(join(world.root, 'link/guide/upgrade 2.md'), 'Written through the link.\n')
    await says('guide/upgrade 2', 'Written through the link.\n')
  })

  test('sees a rename that changes only the case', async () => {
    const { world, at, server } = await watch(openWorld())
    world.write('a.md', '[[B]]\n')
    world.write('b.md', 'text\n')
    await eventually(async () => expect((await server.ask('get_node', { id: 'b' }))?.title).toBe('b'))
    renameSync(at('b.md'), at('B.md'))
    await eventually(async () => expect((await server.ask('get_node', { id: 'b' }))?.title).toBe('B'))
    expect(await brokenLinks(server)).toEqual([])
  })
})

describe('a restart', () => {
  const ASKED: readonly (readonly [string, object])[] = [
    ['get_hubs', { limit: 50 }],
    ['get_problems', { limit: 100 }],
    ['list_nodes', { limit: 1000, kinds: ['note', 'attachment', 'canvas', 'missing'] }],
    ['list_tags', {}],
    ['get_node', { id: 'home', depth: 1 }],
    ['resolve_nodes', { names: ['levain', 'glutn'] }],
  ]

  async function askAndLeave(world: World): Promise<readonly Wire[]> {
    const server = world.serve()
    await server.initialize()
    const answers = await Promise.all(ASKED.map(async ([tool, args]) => factsOf(await server.call(tool, args))))
    expect((await server.end()).code).toBe(0)
    return answers
  }

  test('answers the same', async () => {
    const world = openWorld({ fixture: 'demo' })
    const cold = await askAndLeave(world)
    expect(await askAndLeave(world)).toEqual(cold)
  })

  test('its first answer includes changes made in the meantime, even those by commands', async () => {
    const world = openWorld({ fixture: 'demo' })
    await askAndLeave(world)
    world.write('Concepts/Gluten.md', 'Rewritten.\n')
    rmSync(join(world.vault, 'Breads/Rye.md'))
    const server = world.serve()
    const [, gluten, rye, problems] = await Promise.all([
      server.initialize(),
      server.ask('get_node', { id: 'concepts/gluten' }),
      server.ask('nodes_exist', { ids: ['breads/rye'] }),
      server.ask('get_problems', { kind: 'ambiguous_link' }),
    ])
    expect(gluten.content).toBe('Rewritten.\n')
    expect(rye).toEqual({ 'breads/rye': false })
    expect(problems.total).toBe(0)
    world.write('Breads/Rye.md', 'Back.\n')
    const { out } = await world.roux(['get-node', 'breads/rye', '--vault', world.vault])
    expect(JSON.parse(out).content).toBe('Back.\n')
  })
})
