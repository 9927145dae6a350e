import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

type Judged = Record<'given' | 'named', readonly string[]> & { readonly text: string; readonly number: number | undefined }
type Right = { kind: string; right: readonly string[]; must?: readonly string[]; never?: readonly string[]; count?: number }
interface Judge {
  faultsOf(question: Right, answers: Judged): readonly string[]
  idsOf(value: unknown): readonly string[]
  textOf(value: unknown): string
}
interface Words {
  clausesOf(question: string): readonly string[]
  conditionsIn(question: string): object
  linksIn(text: string): readonly object[]
  numberIn(question: string): number
  pairsIn(question: string): readonly (readonly string[])[]
  sortIn(question: string): string | undefined
  targetIn(question: string): string
  variantsOf(phrase: string): readonly string[]
}
interface Policy {
  answer(session: object, question: { kind: string; question: string }): Promise<object>
}

const file = (name: string) => fileURLToPath(new URL(`../../bench/answers/${name}.mjs`, import.meta.url))
const { faultsOf, idsOf, textOf } = (await import(file('judge'))) as Judge
const { answer } = (await import(file('policy'))) as Policy
const { clausesOf, conditionsIn, linksIn, numberIn, pairsIn, sortIn, targetIn, variantsOf } = (await import(
  file('words')
)) as Words

type Call = readonly [tool: string, args: Record<string, unknown>]

/** A session whose tools answer as told; `log` is what was called. */
function sessionOf(
  answers: Record<string, (args: Record<string, unknown>) => unknown>,
  parameters: Record<string, readonly string[]> = {},
) {
  const log: Call[] = []
  return {
    log,
    parameter: (tool: string, name: string) => (parameters[tool]?.includes(name) ? {} : undefined),
    offers: (tool: string, name: string, value?: string) => parameters[tool]?.includes(value ?? name) ?? false,
    call: async (tool: string, args: Record<string, unknown>) => {
      log.push([tool, args])
      const value = answers[tool]?.(args)
      if (value === undefined) throw new Error(`${tool} is not expected`)
      return { value, texts: [JSON.stringify(value)], tokens: 1 }
    },
  }
}

describe('judging', () => {
  const right = ['Folder/One.md', 'Two.md']
  const given = (ids: readonly string[], text = '', number?: number) => ({ given: ids, named: ids, text, number })

  test('a set is right in any order and case, and wrong with a member more or less', () => {
    const question = { kind: 'list', right }
    expect(faultsOf(question, given(['two.md', 'folder/one.md']))).toEqual([])
    expect(faultsOf(question, given(['two.md']))).toEqual(['lacks One.md'])
    expect(faultsOf(question, given(['two.md', 'folder/one.md', 'three.md']))).toEqual(['gives three.md besides'])
  })

  test('for a fact, it is enough that the note is named among the answers, whatever else is', () => {
    const question = { kind: 'fact', right: ['One.md'], must: ['an exact  sentence'], never: ['Two.md'] }
    const answers = {
      given: ['three.md'],
      named: ['three.md', 'two.md', 'one.md'],
      text: 'Here is an exact\nsentence.',
      number: undefined,
    }
    expect(faultsOf(question, answers)).toEqual([])
    expect(faultsOf(question, { ...answers, text: 'An Exact sentence' })).toEqual(['does not say “an exact  sentence”'])
    expect(faultsOf(question, { ...answers, given: ['two.md'] })).toEqual(['gives Two.md, which is wrong'])
  })

  test('a count is right as the number given or as the size of the set', () => {
    const question = { kind: 'vault', right, count: 64 }
    expect(faultsOf(question, given(['folder/one.md', 'two.md'], '', 64))).toEqual([])
    expect(faultsOf({ ...question, count: 2 }, given(['folder/one.md', 'two.md'], '', 64))).toEqual([])
    expect(faultsOf(question, given(['folder/one.md', 'two.md']))).toEqual(['says 2, not 64'])
  })

  test('ids are those of results and of paths, not of what results link to', () => {
    expect(
      idsOf([
        { id: 'a.md', links: [{ id: 'b.md' }] },
        { query: 'c', match: 'c.md' },
      ]),
    ).toEqual(['a.md', 'c.md'])
    expect(idsOf({ path: ['a.md', 'b.md'], hops: [{ from: 'a.md', to: 'b.md' }] })).toEqual(['a.md', 'b.md'])
    expect(idsOf({ problems: [{ id: 'a.md', candidates: ['b.md'] }] })).toEqual(['a.md'])
  })

  test('escapes of JSON do not hide a text', () => {
    expect(textOf([{ lines: [{ text: 'He said "no"\nand left.' }] }])).toBe('He said "no" and left.')
  })
})

describe('what the words of a question say', () => {
  test.each([
    ['Which notes link to the Daily notes plugin, and how do they describe it?', 'Daily notes'],
    ['Who mentions Dataview, and how?', 'Dataview'],
    ['What are the backlinks of Zettelkasten?', 'Zettelkasten'],
    ['Where is Digital garden mentioned and in which sentence?', 'Digital garden'],
    ['Which notes send you to the page on Local and remote vaults?', 'Local and remote vaults'],
    ['Which notes refer to the guide “Slow starts, and why”?', 'Slow starts, and why'],
    ['Which notes refer readers to Word count, and with what words?', 'Word count'],
    ['Who mentions YAML frontmatter with a link, and what is said there?', 'YAML frontmatter'],
  ])('%s: the note asked for', (question, name) => {
    expect(variantsOf(targetIn(question))).toContain(name)
  })

  test.each([
    ['How do Canvas and Bases connect?', ['Canvas', 'Bases']],
    ['What is the shortest path from Mermaid to HAProxy?', ['Mermaid', 'HAProxy']],
    ['How is the note Tags related to Graph view?', ['Tags', 'Graph view']],
    ['What connects "Search" and "Local and remote vaults"?', ['Search', 'Local and remote vaults']],
    ['What stands between Symbolic links and junctions and Word count?', ['Symbolic links and junctions', 'Word count']],
    ['Through which notes does the concept Blog link to the plugin Templater?', ['Blog', 'Templater']],
    ['How does Group Discussion hang together with Markdown?', ['Group Discussion', 'Markdown']],
  ])('%s: the two notes', (question, [one, two]) => {
    const pairs = pairsIn(question).map((pair) => pair.map((name) => variantsOf(name)))
    expect(pairs).toContainEqual([expect.arrayContaining([one]), expect.arrayContaining([two])])
  })

  test.each([
    ['Which notes are in the folder Plugins, and how many?', { folder: 'Plugins' }],
    ['What is in the folder Plugins and its subfolders, and how many?', { folder: 'Plugins' }],
    [
      'How many notes does the folder 04 - Guides, Workflows, & Courses/Guides hold?',
      { folder: '04 - Guides, Workflows, & Courses/Guides' },
    ],
    ['List all notes in the Getting started folder that are tagged beta.', { folder: 'Getting started', tag: 'beta' }],
    ['Which notes carry the tags seedling and evergreen?', { tags: ['seedling', 'evergreen'], anyTag: false }],
    [
      'Which notes have the property status set to "in progress" and are in the folder Bases?',
      { key: 'status', value: 'in progress', folder: 'Bases' },
    ],
    ['Which notes have the tag beta and are in the folder Bases?', { tag: 'beta', folder: 'Bases' }],
    ['Which notes have an aliases property?', { key: 'aliases', value: '' }],
    ['Which notes use list-cards in their cssclasses property?', { key: 'cssclasses', value: 'list-cards' }],
    ['Which notes have list-cards among their cssclasses?', { key: 'cssclasses', value: 'list-cards' }],
    ['Which notes have Ada as author in their properties, and how many?', { key: 'author', value: 'Ada' }],
    ['Which notes in the folder Bases have aliases, and how many?', { folder: 'Bases', has: 'alias' }],
    ['Which letters of Ada were written in December 2023?', { month: '2023-12', next: '2024-01', verb: 'written', name: 'Ada' }],
    ['Which notes hold open tasks, and how many?', { task: 'open' }],
    ['Which notes contain the phrase "divide and conquer"?', { text: 'divide and conquer' }],
  ])('%s: the conditions', (question, conditions) => {
    expect(conditionsIn(question)).toMatchObject(conditions)
  })

  test('numbers, sorts and clauses are read', () => {
    expect(['Which three notes?', 'The top 7 notes', 'Which notes?'].map(numberIn)).toEqual([3, 7, 10])
    expect(['Which ten theme notes?', 'Which ten notes?', 'Do most notes?'].map(sortIn)).toEqual(['theme', undefined, undefined])
    expect(clausesOf('Who wrote it, and which themes did that person make?')).toEqual([
      'Who wrote it',
      'which themes did that person make?',
    ])
  })

  test('an apostrophe is no quote', () => {
    expect(conditionsIn(`Which of Ann's and Bob's notes contain 'so be it'?`)).toMatchObject({ text: 'so be it' })
  })

  test('links come with the sentence or list item they stand in', () => {
    expect(linksIn('One [[A#x|a]] here. Two.\n- three [[B]] - four [[C]]')).toEqual([
      { to: 'A', shown: 'a', around: 'One [[A#x|a]] here.' },
      { to: 'B', shown: undefined, around: '- three [[B]]' },
      { to: 'C', shown: undefined, around: '- four [[C]]' },
    ])
  })
})

describe('which calls are made', () => {
  const resolve = (known: Record<string, string>) => (args: Record<string, unknown>) =>
    (args.names as readonly string[]).map((query) => ({ query, match: known[query] ?? null, score: known[query] ? 1 : 0 }))

  test('backlinks ask for evidence where it is offered, and for a path from each note where it is not', async () => {
    const answers = {
      resolve_nodes: resolve({ Slides: 's.md' }),
      get_neighbors: () => [{ id: 'a.md' }],
      find_path: () => ({ path: [] }),
    }
    const question = { kind: 'backlinks', question: 'Which notes link to Slides, and in which sentence?' }
    const now = sessionOf(answers)
    expect(await answer(now, question)).toMatchObject({ given: ['a.md'] })
    expect(now.log.map(([tool]) => tool)).toEqual(['resolve_nodes', 'get_neighbors', 'find_path'])
    const later = sessionOf(answers, { get_neighbors: ['evidence'] })
    expect(await answer(later, question)).toMatchObject({ given: ['a.md'] })
    expect(later.log.slice(1)).toEqual([['get_neighbors', { id: 's.md', direction: 'in', evidence: true }]])
  })

  test('of several ways to part two names, the one that resolves is taken', async () => {
    const session = sessionOf({
      resolve_nodes: resolve({ 'Links and tags': 'l.md', Canvas: 'c.md' }),
      find_path: () => ({ path: ['l.md', 'c.md'] }),
    })
    const found = await answer(session, { kind: 'path', question: 'How are Links and tags and Canvas connected?' })
    expect(found).toEqual({ given: ['l.md', 'c.md'] })
    expect(session.log[1]).toEqual(['find_path', { source: 'l.md', target: 'c.md' }])
  })

  test.each([
    ['Which notes are dead ends?', 'find_nodes', { query: '-has:link' }],
    ['Which notes does nothing link to in the folder Old?', 'find_nodes', { query: '-has:backlink', folder: 'Old' }],
    ['Which three notes do most others link to?', 'get_hubs', { metric: 'in_degree', limit: 3 }],
    ['Which notes link out to the most others?', 'get_hubs', { metric: 'out_degree', limit: 10 }],
    ['Which notes have no links at all?', 'get_problems', { kind: 'orphan' }],
    ['Which notes contain links to notes or files that do not exist?', 'get_problems', { kind: 'broken_link' }],
  ])('%s: %s', async (question, tool, args) => {
    const session = sessionOf({ find_nodes: () => [], get_hubs: () => [], get_problems: () => ({ problems: [] }) })
    await answer(session, { kind: 'vault', question })
    expect(session.log).toEqual([[tool, args]])
  })

  test('a folder may be the sort that is counted, and a list without a condition is no list of all notes', async () => {
    const tree = { folders: [{ path: 'Community/People', note_count: 9 }] }
    const session = sessionOf({ get_tree: () => tree, get_hubs: () => [] })
    await answer(session, { kind: 'vault', question: 'Which five people are linked to most by other notes?' })
    expect(session.log.at(-1)).toEqual(['get_hubs', { metric: 'in_degree', limit: 5, folder: 'Community/People' }])
    const unread = sessionOf({ search: () => [{ id: 'a.md' }] })
    expect(await answer(unread, { kind: 'list', question: 'Which letters came last?' })).toEqual({ given: ['a.md'] })
  })

  test('of missing notes one is asked for, or as many as are named, and how many want the first', async () => {
    const problems = ['A', 'B', 'C'].map((text) => ({ id: text.toLowerCase(), text, notes: 3 }))
    const ask = async (question: string) => {
      const session = sessionOf({ get_problems: () => ({ problems }) }, { get_problems: ['missing_note'] })
      return [await answer(session, { kind: 'vault', question }), session.log[0]?.[1]]
    }
    expect(await ask('Which note that does not exist do the most notes link to, and how many are they?')).toEqual([
      { given: ['A'], number: 3 },
      { kind: 'missing_note', limit: 1 },
    ])
    expect(await ask('Which two missing notes are linked to most?')).toMatchObject([{ given: ['A', 'B'] }, { limit: 2 }])
    expect((await ask('Which notes are most missing?'))[1]).toEqual({ kind: 'missing_note' })
  })

  test('a link that stands among the words of the question is followed', async () => {
    const passages = [{ text: 'By [[Ann]]. The chess board is drawn by [[boards/Drawer|Drawer]].' }]
    const session = sessionOf({
      search: () => [{ id: 'chess.md', passages, links: [{ id: 'ann.md' }, { id: 'boards/drawer.md' }] }],
      get_node: () => ({ id: 'boards/drawer.md' }),
    })
    const found = await answer(session, { kind: 'two-hop', question: 'What draws a chess board, and who made that?' })
    expect(found).toEqual({ given: ['chess.md', 'boards/drawer.md'] })
  })
})
