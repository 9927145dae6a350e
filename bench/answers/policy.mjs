// Chooses the calls for a question and takes the answer from their results. There is one policy per kind of question; it uses only the
// question's words and the tools' answers. Features that a tool's schema lacks are not used.
//
// fact one pack of passages for the question; the answer is the first passage's note. Without packs: one search for four results, because
// fewer results
// have longer passages; with `relevance: loose` if nothing is certain enough.
// two-hop one pack for the question, which includes linked notes. Without packs: a search with the first clause; follow the link in its
// first passage
// that is surrounded by most words of the question and read its note, by name if `get_node` takes titles. Without such a link: a search
// with
// the second clause, and read its first result.
// backlinks `get_neighbors` (incoming) of the name after "link to" and the like, with evidence. If it has no evidence, `find_path` from
// each note shows
// the sentence.
// path `find_path` between the two names. If the phrase can be split in several ways, one call resolves the names first.
// list reads conditions from the words (a folder, a tag, a property, a month, tasks): `list_nodes` for a folder or tag alone,
// otherwise `find_nodes`.
// count conditions as for `list`, and `find_nodes` with `count`.
// group the property or folder the question counts by, and `find_nodes` with `group_by`: each row is a value with its count.
// set `find_nodes` in one folder, with `links:` or `-linkedfrom:` and what the other notes have in common.
// vault the question's words choose a ranking, a filter or a kind of problem (`ABOUT_VAULTS`).
//
// A tool that takes titles gets the name unchanged. If it does not know the name, take the first of the similar ids it returns that has all
// words of the name. Otherwise, resolve the name. Search for a name that does not resolve with certainty. Fetch all pages of a list if the
// tool has pages.
import {
  clausesOf,
  conditionsIn,
  countIn,
  groupingIn,
  linksIn,
  nameIn,
  numberIn,
  pairsIn,
  setIn,
  sortIn,
  stemsOf,
  targetIn,
  variantsOf,
} from './words.mjs'

/** The minimum number of question words that must surround a link for it to be followed. */
const FOLLOWED = 2
/** The minimum similarity for a name to count as resolved. */
const RESOLVED = 0.8

/** If one note is the answer, few results with long passages work better than many. */
const FACT_RESULTS = 4
/** The notice that sentences were cut to fit the budget. */
const AMPLE_TOKENS = 4_000

const POLICIES = { fact, 'two-hop': twoHop, backlinks, path, list, count, group, set, vault }

/**
 * Answers a question. @returns `given`, the notes in the answer; `number`, the number; `groups`, the counts by value. The session's log has
 * the calls.
 */
export async function answer(session, { kind, question }) {
  return await POLICIES[kind](session, question)
}

async function fact(session, question) {
  const found = session.offers('context_pack', 'query')
    ? await packed(session, question)
    : await search(session, question, { limit: FACT_RESULTS })
  return { given: found.slice(0, 1).map(({ id }) => id) }
}

async function twoHop(session, question) {
  if (session.offers('context_pack', 'query')) return { given: (await packed(session, question)).slice(0, 1).map(({ id }) => id) }
  const [first, second] = clausesOf(question)
  const [one] = await search(session, first)
  if (one === undefined) return { given: [] }
  const wanted = stemsOf(question)
  const links = linksIn((one.passages ?? []).map(({ text }) => text).join('\n')).map((link) => ({
    ...link,
    shared: [...stemsOf(`${link.around} ${link.to}`)].filter((stem) => wanted.has(stem)).length,
  }))
  links.sort((a, b) => b.shared - a.shared)
  let next = links[0]?.shared >= FOLLOWED ? await idOf(session, one, links[0]) : undefined
  next ??= (await search(session, second)).find(({ id }) => id !== one.id)?.id
  const { value } = next === undefined ? {} : await session.call('get_node', { id: next })
  return { given: [one.id, ...(value?.id === undefined ? [] : [value.id])] }
}

/** The passages of one pack. */
async function packed(session, query) {
  return (await session.call('context_pack', { query })).value.excerpts
}

/**
 * Returns the id that a link in a result leads to. The id is taken from the result's own links if they are listed, and otherwise
 * looked up.
 */
async function idOf(session, result, { to, shown }) {
  const name = to.toLowerCase().replace(/\.md$/, '')
  const own = (result.links ?? []).find(({ id }) => `/${id}`.endsWith(`/${name}.md`))
  if (own !== undefined) return own.id
  if (session.offers('get_node', 'id', 'title')) return to
  const { value } = await session.call('resolve_nodes', { names: [to.split('/').at(-1), ...(shown ? [shown] : [])] })
  return value.find(({ match }) => match !== null)?.match
}

async function backlinks(session, question) {
  const phrase = targetIn(question)
  return (await askedByName(session, 'get_neighbors', { id: phrase }, ({ id }) => mentionsOf(session, id))) ?? { given: [] }
}

/**
 * Calls a tool with the notes that phrases mean, by name if it takes titles. `ask` makes the call; its `unknown` lists the warnings about
 * unknown names.
 */
async function askedByName(session, tool, phrases, ask) {
  const keys = Object.keys(phrases)
  if (keys.every((key) => session.offers(tool, key, 'title'))) {
    const names = Object.fromEntries(keys.map((key) => [key, nameIn(phrases[key])]))
    const found = await ask(names)
    const unknown = unknownIn(session.log.at(-1))
    if (unknown.length === 0) return found
    const near = keys.map((key) => [
      key,
      unknown.some(({ name }) => name === names[key]) ? nearestTo(names[key], unknown) : names[key],
    ])
    if (near.every(([, id]) => id !== undefined)) return await ask(Object.fromEntries(near))
  }
  const ids = await resolve(session, [keys.map((key) => phrases[key])])
  if (ids.some((id) => id === undefined)) return undefined
  return await ask(Object.fromEntries(keys.map((key, at) => [key, ids[at]])))
}

/** The names that an answer does not know, with the ids that it suggests instead. */
function unknownIn({ warnings = [] }) {
  return warnings
    .filter(({ code }) => code === 'UNKNOWN_ID')
    .map(({ message }) => [...message.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([text]) => JSON.parse(text)))
    .map(([name, ...ids]) => ({ name, ids }))
}

/** The first of the suggested ids that has all words of a name. */
function nearestTo(name, unknown) {
  const words = [...stemsOf(name)]
  const { ids } = unknown.find((one) => one.name === name)
  return ids.find((id) => words.every((word) => stemsOf(id).has(word)))
}

/** Returns which notes link to a note, and in which sentences. */
export async function mentionsOf(session, id) {
  const evidence = session.offers('get_neighbors', 'evidence')
  const { rows, total } = await whole(session, 'get_neighbors', {
    id,
    direction: 'in',
    ...(evidence && { evidence: true }),
    ...lean(session, 'get_neighbors'),
  })
  // The answer says how many sentences were cut to fit the budget.
  const isShort = session.log.at(-1).texts.some((text) => /^Left out\b.*\blines\b/m.test(text))
  if (isShort)
    await session.call('get_neighbors', { id, direction: 'in', evidence: true, limit: rows.length, max_tokens: AMPLE_TOKENS })
  if (!evidence) for (const row of rows) await session.call('find_path', { source: row.id, target: id, direction: 'out' })
  return { given: rows.map((row) => row.id), number: total }
}

async function path(session, question) {
  const pairs = pairsIn(question)
  const ask = async ({ source, target }) => ({ given: (await session.call('find_path', { source, target })).value?.path ?? [] })
  if (pairs.length === 1) {
    const [[source, target]] = pairs
    return (await askedByName(session, 'find_path', { source, target }, ask)) ?? { given: [] }
  }
  const [source, target] = await resolve(session, pairs)
  return source === undefined || target === undefined ? { given: [] } : await ask({ source, target })
}

async function list(session, question) {
  const asked = conditionsIn(question)
  const folder = asked.folder?.replace(/\/$/, '')
  const found = await listed(session, { ...asked, folder })
  // No condition was found, and a list of all notes would not answer the question.
  if (found === undefined) return await fact(session, question)
  if (found.given.length > 0 || folder === undefined || folder.includes('/')) return found
  // A folder may also be named by its last segment.
  const path = (await folders(session)).find((one) => one.path.toLowerCase().endsWith(`/${folder.toLowerCase()}`))?.path
  return path === undefined ? found : await listed(session, { ...asked, folder: path })
}

async function count(session, question) {
  if (!session.offers('find_nodes', 'count')) return { ...(await list(session, question)), given: [] }
  const asked = conditionsIn(question)
  const query = conditionsQuery(session, asked)
  const where = asked.folder === undefined ? {} : { folder: asked.folder.replace(/\/$/, '') }
  const { value } = await session.call('find_nodes', { query, ...where, count: true })
  return { given: [], number: value.total }
}

async function group(session, question) {
  const limit = countIn(question)
  const { value } = await session.call('find_nodes', {
    query: '',
    group_by: groupingIn(question),
    ...(limit !== undefined && { limit }),
  })
  return { given: [], groups: Object.fromEntries(value.groups.map((one) => [String(one.value), one.count])) }
}

async function set(session, question) {
  const { folder, others, direction, isNot } = setIn(question)
  const way = direction === 'out' ? 'links' : 'linkedfrom'
  const query = `${isNot ? '-' : ''}${way}:(${others.tag === undefined ? `folder:${quote(others.folder)}` : `#${others.tag}`})`
  return await members(session, 'find_nodes', { query, ...(folder !== undefined && { folder }) })
}

async function listed(session, asked) {
  const { folder, tag, tags, anyTag, month } = asked
  const only = (...keys) => Object.entries(asked).every(([one, is]) => !is || keys.includes(one))
  if (folder !== undefined && only('folder')) return await members(session, 'list_nodes', { path: `${folder}/` })
  if (tag !== undefined && only('tag')) return await members(session, 'list_nodes', { tag })
  if (tags !== undefined) return await members(session, 'search_by_tags', { tags, mode: anyTag ? 'any' : 'all' })
  const query = conditionsQuery(session, asked)
  if (query === '' && month === undefined) return undefined
  let found
  for (const way of month === undefined ? [''] : waysToDate(session, asked)) {
    const words = { query: `${way} ${query}`.trim() }
    found = await members(session, 'find_nodes', folder === undefined ? words : { ...words, folder })
    if (found.given.length > 0) break
  }
  return found
}

/** Formats conditions for `find_nodes`. */
function conditionsQuery(session, { tag, inProperties, key, value, also, has, task, text, month, name }) {
  const parts = []
  if (has !== undefined) parts.push(`has:${has}`)
  if (tag !== undefined) parts.push(inProperties ? `#tags=${quote(tag)}` : `#${tag}`)
  if (key !== undefined) parts.push(`#${quote(key)}=${value === '' ? '' : quote(value)}`)
  if (also !== undefined) parts.push(`#${quote(also.key)}=${quote(also.value)}`)
  if (task !== undefined && session.offers('find_nodes', 'query', 'task:')) parts.push(`task:${task}`)
  else if (task !== undefined) parts.push(task === 'done' ? '"- [x]"' : '"- [ ]"')
  if (text !== undefined) parts.push(`"${text}"`)
  if (month !== undefined && name !== undefined) parts.push(`path:${quote(name)}`)
  return parts.join(' ')
}

/** Ways to find notes of a month: by name, then by a property, then by file date. */
function waysToDate(session, { verb, month, next }) {
  const property = verb !== undefined && session.offers('find_nodes', 'query', '>=')
  return [
    `path:${quote(month)}`,
    ...(property ? [`#${verb}>=${month}-01 #${verb}<${next}-01`] : []),
    `${/chang|modif|edit|updat/.test(verb ?? '') ? 'modified' : 'created'}:${month}`,
  ]
}

/** What the words of a question about the whole vault ask for; the first match counts. */
const ABOUT_VAULTS = [
  [
    /\bnotes?\b.*\b(?:contain|have|has|with)\s+links?\s+to\b.*\b(?:missing|do(?:es)?\s+not\s+exist)\b/i,
    (session, question) => problems(session, question, 'broken_link'),
  ],
  [/\b(?:headings?|sections?|blocks?)\b.*\b(?:not\s+(?:have|exist|there)|missing|lacks?|gone|nowhere|broken)\b/i, brokenHeadings],
  [
    /\bdead[\s-]ends?\b|\blink(?:s|ing)?\s+to\s+no\b|\bno\s+outgoing\b/i,
    (session, question) => filtered(session, question, '-has:link'),
  ],
  [
    /\bno\s+(?:other\s+)?notes?\s+links?\s+to\b|\bnothing\s+links?\b|\bnobody\s+links\b|\bno\s+(?:backlinks|incoming)\b|\bnot\s+linked\b|\bunlinked\b/i,
    (session, question) => filtered(session, question, '-has:backlink'),
  ],
  [/\borphan|\bisolated\b|\bno\s+links\b|\bneither\b.*\bnor\b/i, (session, question) => problems(session, question, 'orphan')],
  [/\bmost\s+(?:missing|wanted)\b|\bmissing\s+notes?\b|\bnotes?\b.*\b(?:missing|do(?:es)?\s+not\s+exist|wanted)\b/i, missing],
  [/\bambiguous\b/i, (session, question) => problems(session, question, 'ambiguous_link')],
  [/\bsame\s+(?:name|title)\b|\bclash|\btwins?\b/i, (session, question) => problems(session, question, 'twin')],
  [/\bbroken\b|\blead(?:s|ing)?\s+nowhere\b/i, (session, question) => problems(session, question, 'broken_link')],
  [/\bbridges?\b|\bbetween\s+parts\b/i, (session, question) => hubs(session, question, 'betweenness')],
  [
    /\blinks?\s+(?:out\s+)?to\s+(?:the\s+)?most\b|\bmost\s+(?:other\s+notes\s+)?(?:outgoing|links\s+out)\b/i,
    (session, question) => hubs(session, question, 'out_degree'),
  ],
  [/\bmost\b/i, (session, question) => hubs(session, question, 'in_degree')],
  [/\bhow\s+many\b/i, size],
]

async function vault(session, question) {
  const [, ask] = ABOUT_VAULTS.find(([words]) => words.test(question)) ?? [undefined, fact]
  return await ask(session, question)
}

async function filtered(session, question, query) {
  const where = await placeOf(session, question)
  return await members(session, 'find_nodes', { query, ...where })
}

async function size(session, question) {
  const { folder } = conditionsIn(question)
  const { value, total } = await session.call('list_nodes', { ...(folder !== undefined && { path: `${folder}/` }), limit: 1 })
  return { given: [], number: total ?? value.total }
}

async function hubs(session, question, metric) {
  const { folder } = await placeOf(session, question)
  const { value } = await session.call('get_hubs', { metric, limit: numberIn(question), ...(folder !== undefined && { folder }) })
  return { given: value.map(({ id }) => id), number: value[0]?.score }
}

async function problems(session, question, kind) {
  const { folder } = conditionsIn(question)
  const { rows } = await whole(session, 'get_problems', { kind, ...(folder !== undefined && { folder }) })
  return { given: [...new Set(rows.map(({ id }) => id))] }
}

/**
 * Returns the notes that link to headings that a note does not have. If there is no such kind of problem, returns all notes that link to
 * the note.
 */
async function brokenHeadings(session, question) {
  const target = /\b(?:headings?|sections?|blocks?)\s+(?:of|in)\s+(?<name>.+?)\s+(?:that|which)\b/i.exec(question)?.groups.name
  const name = variantsOf(target ?? targetIn(question)).at(-1)
  if (!session.offers('get_problems', 'kind', 'broken_heading'))
    return await backlinks(session, `Which notes link to ${target ?? name}?`)
  if (session.offers('get_problems', 'target', 'title')) {
    const phrase = target ?? targetIn(question)
    const ask = ({ target: meant }) => whole(session, 'get_problems', { kind: 'broken_heading', target: meant })
    const { rows } = (await askedByName(session, 'get_problems', { target: phrase }, ask)) ?? { rows: [] }
    return { given: [...new Set(rows.map(({ id }) => id))] }
  }
  const way = ['target', 'query', 'name'].find((parameter) => session.offers('get_problems', parameter))
  const { rows } = await whole(session, 'get_problems', { kind: 'broken_heading', ...(way !== undefined && { [way]: name }) })
  const fits = ({ text = '', target: to = '', candidates = [] }) =>
    [text, to, ...candidates].some((one) => one.toLowerCase().includes(name.toLowerCase()))
  return { given: [...new Set(rows.filter(fits).map(({ id }) => id))] }
}

/**
 * Returns missing targets by how many notes want them. If there is no such kind of problem, counts every broken link. `number` is how many
 * there are, or, if the question asks only for the top ones, how many notes want the first.
 */
export async function missing(session, question = '') {
  if (session.offers('get_problems', 'kind', 'missing_note')) {
    const limit = countIn(question)
    const { value, total } = await session.call('get_problems', { kind: 'missing_note', ...(limit !== undefined && { limit }) })
    const rows = value.problems ?? value
    const given = (limit === undefined ? rows : rows.slice(0, limit)).map(({ text }) => text)
    return { given, number: limit === undefined ? (total ?? value.total) : rows[0]?.notes }
  }
  const { rows } = await whole(session, 'get_problems', { kind: 'broken_link' })
  const wanting = new Map()
  for (const { id, text } of rows) {
    const target = text
      .replace(/^!?\[\[|\]\]$/g, '')
      .split(/[#|]/)[0]
      .replace(/\.md$/, '')
      .toLowerCase()
    wanting.set(target, (wanting.get(target) ?? new Set()).add(id))
  }
  const ranked = [...wanting].sort(([, a], [, b]) => b.size - a.size)
  return { given: ranked.slice(0, 20).map(([target]) => target), number: ranked.length }
}

/** The folder that a question names. If it names a kind of note instead (`plugin notes`), the largest folder with that name. */
async function placeOf(session, question) {
  const { folder } = conditionsIn(question)
  if (folder !== undefined) return { folder: folder.replace(/\/$/, '') }
  const sort = sortIn(question)
  if (sort === undefined) return {}
  const [name] = stemsOf(sort)
  const fits = (await folders(session)).filter((one) => [...stemsOf(one.path.split('/').at(-1))].join(' ') === name)
  const largest = fits.sort((a, b) => b.note_count - a.note_count)[0]
  return largest === undefined ? {} : { folder: largest.path }
}

async function folders(session) {
  const { value } = await session.call('get_tree', { limit: 1 })
  const all = [value]
  for (const one of all) all.push(...(one.folders ?? []))
  return all.slice(1)
}

async function search(session, query, more = {}) {
  const { value } = await session.call('search', { query, ...more })
  return value.length > 0 ? value : (await session.call('search', { query, ...more, relevance: 'loose' })).value
}

async function members(session, tool, args) {
  const { rows, total } = await whole(session, tool, { ...args, ...lean(session, tool) })
  return { given: rows.map(({ id }) => id), number: total }
}

/** Leaves links out, if the tool allows it, when only ids matter. */
function lean(session, tool) {
  return session.offers(tool, 'links') ? { links: 0 } : {}
}

/** Fetches every row of a list, with the largest limit, as long as the tool reports more. */
async function whole(session, tool, args) {
  const limit = session.parameter(tool, 'limit')?.maximum
  const rows = []
  for (;;) {
    const from = rows.length === 0 ? {} : { offset: rows.length }
    const { value, total: told } = await session.call(tool, { ...args, ...(limit !== undefined && { limit }), ...from })
    const page = Array.isArray(value) ? value : (value.nodes ?? value.problems ?? [])
    const total = told ?? value.total
    rows.push(...page)
    if (page.length === 0 || total === undefined || rows.length >= total || !session.offers(tool, 'offset'))
      return { rows, total }
  }
}

/** Resolves the pair (or single phrase) whose names match best, in one call. @returns an id for each phrase, or undefined. */
async function resolve(session, choices) {
  const names = [...new Set(choices.flat().flatMap(variantsOf))]
  const { value } = await session.call('resolve_nodes', { names })
  const found = new Map(value.filter(({ match }) => match !== null).map((one) => [one.query, one]))
  const bestOf = (phrase) =>
    variantsOf(phrase)
      .map((name) => found.get(name))
      .filter((one) => one !== undefined && one.score >= RESOLVED)
      .sort((a, b) => b.score - a.score || b.query.length - a.query.length)[0]
  const ranked = choices.map((phrases) => ({ phrases, best: phrases.map(bestOf) })).sort((a, b) => weigh(b.best) - weigh(a.best))
  const { phrases, best } = ranked[0]
  return await Promise.all(phrases.map(async (phrase, at) => best[at]?.match ?? (await searched(session, phrase))))
}

function weigh(best) {
  return best.reduce((sum, one) => sum + (one === undefined ? 0 : one.score + one.query.length / 1_000), 0)
}

async function searched(session, phrase) {
  const { value } = await session.call('search', { query: variantsOf(phrase)[0], limit: 1, relevance: 'loose' })
  return value[0]?.id
}

function quote(text) {
  return /^[\p{L}\p{N}_-]+$/u.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`
}
