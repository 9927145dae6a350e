// Measures single calls with default arguments, and checks that lists contain every id up to `limit`, or say where
// they go on, and stay within the budget.
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { failureOf, openServer, openSession, tokensOf } from './ask.mjs'
import { idsOf } from './judge.mjs'
import { mentionsOf, missing } from './policy.mjs'

/** The number of well-linked notes, well-used tags and changed notes of which the median is taken. */
const TIMES = 10
const LINKS = 26
/** Budgets of tools whose schema does not state one. */
const BUDGETS = { get_node: 4_000, list_nodes: 5_000 }
const BUDGET = 2_000

/** Measures the calls on a vault. @returns `costs`, rows `{call, calls, tokens: […], faults: […]}`, and the names of all tools. */
export async function costsOf({ server, questions, program, vault, scratch }) {
  const ask = async (tool, args) => (await openSession(server).call(tool, args)).value
  const linked = (await ask('get_hubs', { limit: TIMES })).map(({ id }) => id)
  const tags = (await ask('list_tags', {})).slice(0, TIMES).map(({ tag }) => tag)
  const each = (tool, all) => measure(server, tool, all)
  const { tools, ...written } = await writes(program, vault, scratch)
  const costs = [
    {
      call: '`search`, ten results',
      ...(await each(
        'search',
        questions.map(({ question }) => ({ query: question })),
      )),
    },
    {
      call: '`get_neighbors` of a well-linked note, 20 results',
      ...(await each(
        'get_neighbors',
        linked.map((id) => ({ id })),
      )),
    },
    {
      call: '`get_node` of one with `depth: 1`',
      ...(await each(
        'get_node',
        linked.map((id) => ({ id, depth: 1 })),
      )),
    },
    {
      call: '`search_by_tags`, 20 results',
      ...(await each(
        'search_by_tags',
        tags.map((tag) => ({ tags: [tag] })),
      )),
    },
    { call: '`get_tree`', ...(await each('get_tree', [{}])) },
    { call: '`update_node`, one line appended', ...written },
    await mentions(server, ask),
    await whole('"which notes are most missing?"', server, missing),
  ]
  return { costs, tools }
}

async function measure(server, tool, all) {
  const tokens = []
  const faults = []
  for (const args of all) {
    const session = openSession(server)
    const answer = await session.call(tool, args).catch(failureOf)
    if (answer.failed !== undefined) {
      faults.push(...answer.failed)
      continue
    }
    tokens.push(answer.tokens)
    faults.push(...budgetFaults(session, answer), ...(await limitFaults(session, answer)))
  }
  const budgeted = openSession(server).offers(tool, 'max_tokens')
  return { calls: 1, tokens, faults, budgeted }
}

/** Returns by how much an answer exceeds its budget, if the tool has one. */
function budgetFaults(session, { tool, args, texts }) {
  const schema = session.parameter(tool, 'max_tokens')
  if (schema === undefined) return []
  const budget = tool === 'get_node' ? BUDGETS.get_node : (schema.default ?? BUDGETS[tool] ?? BUDGET)
  const used = Math.ceil(tokensOf(texts[0]))
  return used > budget ? [`${tool} ${JSON.stringify(args)} takes ${used} of ${budget} tokens`] : []
}

/** Returns the existing ids that an answer with fewer than `limit` results lacks, unless it says where the list goes on. */
async function limitFaults(session, { tool, args, value, next }) {
  const schema = session.parameter(tool, 'limit')
  if (schema?.default === undefined || !Array.isArray(value)) return []
  const ample = session.offers(tool, 'max_tokens') ? { max_tokens: session.parameter(tool, 'max_tokens').maximum } : {}
  const { value: more } = await session.call(tool, { ...args, limit: schema.maximum, ...ample })
  const there = Math.min(schema.default, idsOf(more).length)
  const has = idsOf(value).length
  return has === there || next === has ? [] : [`${tool} ${JSON.stringify(args)} names ${has} of ${there} ids`]
}

async function writes(program, vault, scratch) {
  const copy = join(scratch, 'copy')
  cpSync(vault, copy, { recursive: true, filter: (path) => !path.endsWith('/.git') })
  mkdirSync(join(scratch, 'writing'))
  const server = await openServer({ program, vault: copy, scratch: join(scratch, 'writing'), write: true })
  try {
    const first = await openSession(server).call('list_nodes', { limit: 1 })
    const step = Math.floor((first.total ?? first.value.total) / TIMES)
    const tokens = []
    for (let at = 0; at < TIMES; at++) {
      const { value } = await openSession(server).call('list_nodes', { limit: 1, offset: at * step })
      tokens.push((await openSession(server).call('update_node', { id: value.nodes[0].id, append: 'One line more.\n' })).tokens)
    }
    return { calls: 1, tokens, faults: [], tools: server.tools }
  } finally {
    await server.client.close()
  }
}

/** Asks who links to the note with about 26 backlinks, and how. */
async function mentions(server, ask) {
  const { folders } = await ask('get_tree', { depth: 1, limit: 1 })
  const hubs = [...(await ask('get_hubs', { limit: 50 }))]
  for (const { path } of folders) hubs.push(...(await ask('get_hubs', { limit: 50, folder: path })))
  const [{ id, score }] = hubs.sort((a, b) => Math.abs(a.score - LINKS) - Math.abs(b.score - LINKS) || (a.id < b.id ? -1 : 1))
  return await whole(`"who mentions X, and how?", ${score} backlinks`, server, (session) => mentionsOf(session, id))
}

async function whole(call, server, policy) {
  const session = openSession(server)
  await policy(session)
  return { call, calls: session.log.length, tokens: [session.log.reduce((sum, { tokens }) => sum + tokens, 0)], faults: [] }
}
