import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { openWorld, type Server, shareDemoIndex, type Wire, type World } from './support.ts'

const openDemo = shareDemoIndex()

const FROM = 'Recipes/Weekday baguettes.md'
const TO = 'techniques/bulk fermentation.md'

async function serveDemo(): Promise<{ readonly world: World; readonly server: Server }> {
  const world = openDemo()
  const server = world.serve([world.vault, '--write'])
  await server.initialize()
  // On a busy machine the first insight may take longer than a call waits.
  for (const tool of ['suggest_links', 'map'])
    await eventually(async () => expect((await server.call(tool)).structuredContent._warnings).toBeUndefined())
  return { world, server }
}

/** The demo vault's safest suggestion. */
async function suggestion(server: Server): Promise<Wire> {
  const { suggestions } = await server.ask('suggest_links', { id: FROM, kind: 'named' })
  return suggestions.find(({ to }: Wire) => to === TO)
}

const textOf = ({ vault }: World): string => readFileSync(join(vault, FROM), 'utf8')

/** The JSON output of a command. */
async function answerOf({ roux, vault }: World, ...words: readonly string[]): Promise<Wire> {
  const { code, out, err } = await roux([...words, '--vault', vault, '--json'])
  expect([code, err]).toEqual([0, ''])
  return out === '' ? undefined : JSON.parse(out)
}

test("a suggestion's edit makes exactly this link, and undo reverts it", async () => {
  const { world, server } = await serveDemo()
  const before = textOf(world)
  const { edit, line } = await suggestion(server)
  const tried = await server.ask('apply_changes', { operations: [edit], dry_run: true })
  expect(tried.diff).toMatch(/^-2\. One hour in bulk at 25 °C\.\n\+2\. One hour in \[\[Bulk fermentation\|bulk\]\] at 25 °C\.$/m)
  expect(textOf(world)).toBe(before)
  const { change_id } = await server.ask('apply_changes', { operations: [edit] })
  expect(textOf(world)).toBe(before.replace('in bulk at', 'in [[Bulk fermentation|bulk]] at'))
  const linked: readonly Wire[] = await server.ask('get_neighbors', { id: FROM, direction: 'out', evidence: true })
  const { lines } = linked.find(({ id }) => id === TO)
  expect(lines).toMatchObject([{ line }])
  expect(await suggestion(server)).toBeUndefined()
  await server.ask('undo', { change_id })
  expect(textOf(world)).toBe(before)
})

test("a suggestion's edit is refused if its note has changed, and changes nothing", async () => {
  const { world, server } = await serveDemo()
  const { edit } = await suggestion(server)
  world.write(FROM, `${textOf(world)}\nBy hand.\n`)
  const before = textOf(world)
  const { isError, content } = await server.call('apply_changes', { operations: [edit] })
  expect([isError, JSON.parse(content[0].text).error.code]).toEqual([true, 'CONFLICT'])
  expect(textOf(world)).toBe(before)
})

test('a community keeps the name that its user gave it, in map, commands and servers, until the name is removed', async () => {
  const { world, server } = await serveDemo()
  const [{ id, label }] = (await answerOf(world, 'map')).communities
  const name = async (...words: readonly string[]) => await world.roux(['map', '--name', id, ...words, '--vault', world.vault])
  expect((await name('Baking')).err).toBe(`${id} is called "Baking".\n`)
  const labels = async (ask: () => Promise<Wire>) => (await ask()).communities.map((one: Wire) => one.label)
  expect(await labels(() => answerOf(world, 'map'))).toContain('Baking')
  expect(await labels(() => server.ask('map'))).toContain('Baking')
  const unnamed = await name()
  expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining(`The name for ${id} is missing.`)])
  expect(await labels(() => answerOf(world, 'map'))).toContain('Baking')
  expect((await name('')).err).toBe(`${id} has its automatic name again.\n`)
  expect((await answerOf(world, 'map')).communities[0]).toMatchObject({ id, label })
  const none = await world.roux(['map', '--name', 'c999', 'Nothing', '--vault', world.vault])
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no community "c999".')])
})

test('the map of a vault of entries lists them first, by folder, within every budget', async () => {
  const entry = (kind: string, at: number): [string, string] => [
    `Shop/${kind}/${kind} ${at}.md`,
    `---\nprice: ${at}\n---\nA ${kind} called ${kind} ${at}. See [[${kind} ${at % 5}]].`,
  ]
  const world = openWorld()
  const entries = Array.from({ length: 50 }, (_, at) => (at < 30 ? entry('Chairs', at) : entry('Tables', at - 30)))
  for (const [path, text] of [...entries, ['Shop/About.md', 'We sell chairs and tables.'] as const]) world.write(path, text)
  const server = world.serve()
  await server.initialize()
  await eventually(async () => expect((await server.call('map')).structuredContent._warnings).toBeUndefined())
  const catalogues = [
    { folder: 'Shop/Chairs', notes: 30, of: 30, properties: ['price'] },
    { folder: 'Shop/Tables', notes: 20, of: 20, properties: ['price'] },
  ]
  expect((await server.ask('map')).catalogues).toEqual(catalogues)
  expect((await answerOf(world, 'map')).catalogues).toEqual(catalogues)
  const { structuredContent } = await server.call('map', { max_tokens: 100 })
  expect(structuredContent).toMatchObject({ catalogues: catalogues.slice(0, 1), omitted: { catalogues: 1 } })
})

test('a dismissed gap is no longer shown, until the dismissal is undone', async () => {
  const { world, server } = await serveDemo()
  const wanted = async () => (await answerOf(world, 'gaps', '--kind', 'wanted')).wanted.map(({ name }: Wire) => name)
  const before = await wanted()
  expect(before).toContain('Maillard reacton')
  const dismiss = async (gap: string) => await world.roux(['gaps', '--dismiss', gap, '--vault', world.vault])
  expect((await dismiss('wanted:maillard REACTON')).err).toContain('is hidden from now on.')
  expect(await wanted()).toEqual(before.filter((name: string) => name !== 'Maillard reacton'))
  expect((await server.ask('gaps')).totals.wanted).toBe(before.length - 1)
  expect((await dismiss('wanted:Maillard reacton')).err).toContain('is shown again.')
  expect(await wanted()).toEqual(before)
  expect((await dismiss('nonsense')).code).toBe(2)
})

test("an export contains the map's communities and the pairs of similar_nodes", async () => {
  const { world, server } = await serveDemo()
  const { communities } = await server.ask('map')
  const { out } = await world.roux(['export', '--communities', '--semantic', world.vault])
  const { nodes, similar } = JSON.parse(out)
  for (const { id, notes } of communities) {
    const members: readonly Wire[] = nodes.filter((node: Wire) => node.community === id)
    expect(members).toHaveLength(notes)
    const listed = (await server.ask('list_nodes', { community: id, limit: 100 })).nodes.map((node: Wire) => node.id)
    expect(listed.toSorted()).toEqual(members.map((node) => node.id).sort())
  }
  const [nearest] = await server.ask('similar_nodes', { id: TO, limit: 1 })
  const scores = similar.flatMap(({ source, target, score }: Wire) =>
    [source, target].includes(TO) && [source, target].includes(nearest.id) ? [score] : [],
  )
  expect(scores).toEqual([expect.closeTo(nearest.score, 1)])
})

test('a pack continues at its offset without repetition and within its budget, in commands too', async () => {
  const { world, server } = await serveDemo()
  const query = 'how warm must bulk fermentation be'
  // New embeddings between two pages would shift the passages.
  await eventually(async () => expect((await server.call('search', { query })).structuredContent._warnings).toBeUndefined())
  const met: string[] = []
  for (let offset = 0, packs = 0; packs < 3; packs++) {
    const { content, structuredContent } = await server.call('context_pack', { query, max_tokens: 700, offset })
    expect(Buffer.byteLength(content[0].text)).toBeLessThanOrEqual(700 * 4)
    met.push(...structuredContent.excerpts.map(({ id, lines }: Wire) => `${id} ${lines}`))
    if (structuredContent.next_offset === undefined) break
    offset = structuredContent.next_offset
  }
  expect(met.length).toBeGreaterThan(2)
  expect(new Set(met).size).toBe(met.length)
  const { excerpts } = await answerOf(world, 'context-pack', query, '--max-tokens', '700')
  expect(excerpts[0].id).toBe(TO)
  expect(excerpts[0].text).toContain('When is it done')
})
