import type { ReadingCall, VaultSample } from './reading-calls.ts'

type Args = Readonly<Record<string, unknown>>

/** Ways to write an id or folder that may or may not match it. */
const written = (id: string): readonly string[] => [
  ...[id.toUpperCase(), id.normalize('NFD'), id.replace(/\.md$/, ''), ` ${id} `],
  ...[`/${id}`, `${id}/`, `./${id}`, `${id}#part`, id.replaceAll('/', '\\')],
]

/** An offset past every end. */
const FAR = 100_000
const KINDS = ['note', 'attachment', 'canvas', 'missing'] as const
const DATES = ['2024', '2024-01', '2024-01-01', '2024-01-01T10:00', '1999', 'day-7', 'month-1']
const VALUES = ['-5', '0', '2.5', '10', '9007199254740993', 'open', 'true', '""']
const FEATURES = ['attachment', 'link', 'backlink', 'tag', 'alias', 'property']
/** Words of every script, and characters with a meaning in a database or a full-text index. */
const WORDS = [
  'Straße',
  'ος',
  'ΟΔΟΣ',
  'İstanbul',
  '漢字',
  '日本語',
  '😀',
  'café',
  'cafe\u0301',
  "it's",
  'co-op',
  '3.14',
  'tag-5',
  'xyzzy',
]
const SIGNS = ['C++', 'hasTag()', 'app.vault.read', 'snake_case_word', '"a:b"', '"[d] {e}"', '"* ?"', '"/regex/"', '"AND OR NOT"']

/** Calls with unusual arguments that engines may read differently; `readingCalls` has the usual ones. */
export function cornerCalls(sample: VaultSample): readonly ReadingCall[] {
  const { titles, missing, folders, tags, words } = sample
  const [first = 'x', second = 'x', third = 'x'] = sample.ids
  const ids = sample.ids.slice(0, 4)
  const properties = [...sample.properties, 'no such']
  const [folder = 'no such', inner = folder] = folders
  const [tag = 'no-such', other = tag] = tags
  const [word = 'x', next = 'y'] = words
  const [file = 'no such'] = sample.files
  const calls: ReadingCall[] = []
  const add = (tool: string, all: readonly Args[]) => {
    for (const args of all) calls.push([tool, args])
  }
  const names = [...ids.flatMap(written), ...missing.slice(0, 2).flatMap(written), ...titles.slice(0, 3).flatMap(written), file]
  add('nodes_exist', [{ ids: [...names, ...sample.files, '..', 'a//b', '.hidden', '\0', 'x'.repeat(5_000)] }, { ids: [] }])
  add(
    'get_node',
    [...names, ...sample.files].map((id) => ({ id })),
  )
  add('get_node', [
    ...sample.sections.flatMap(([id, heading]) => [
      { id, section: [heading] },
      { id, section: [heading.toUpperCase()] },
    ]),
    { id: first, section: ['no such heading'] },
    { id: first, section: ['^no-such'] },
    { id: first, depth: 1, max_tokens: 100 },
    { id: first, offset: FAR },
  ])
  for (const id of [first, second, ...sample.files.slice(0, 2), ...missing.slice(0, 2)]) {
    add('get_neighbors', [
      ...KINDS.map((kind) => ({ id, kinds: [kind], evidence: true })),
      ...['in', 'out'].map((direction) => ({ id, direction, kinds: KINDS, links: 0 })),
      { id, kinds: [] },
      { id, offset: FAR },
      { id, limit: 50, links: 100, max_tokens: 100 },
    ])
  }
  add(
    'get_neighbors',
    [first, second, third].flatMap((id) =>
      properties.flatMap((type) => [
        { id, type },
        { id, type: type.toUpperCase(), direction: 'in' },
      ]),
    ),
  )
  const ends = [first, titles[1] ?? second, second.toUpperCase(), missing[0] ?? 'no such', file]
  add(
    'find_path',
    ends.flatMap((source) =>
      [third, file, ...sample.ids.slice(-2)].flatMap((target) => [
        { source, target },
        { source, target, direction: 'out', count: 5, avoid_hubs: true },
      ]),
    ),
  )
  for (const metric of ['in_degree', 'out_degree', 'pagerank', 'betweenness']) {
    add('get_hubs', [
      { metric, folder, tag },
      { metric, offset: FAR },
      { metric, limit: 50, offset: 7 },
      { metric, tag: 'no-such' },
    ])
  }
  add(
    'get_hubs',
    written(folder).map((one) => ({ folder: one })),
  )
  add('search_by_tags', [
    ...[`#${tag}`, ` ${tag} `, tag.normalize('NFD'), `${tag}/`, '#', ''].map((one) => ({ tags: [one] })),
    { tags: [tag, tag, tag.toUpperCase()], mode: 'all' },
    { tags: [tag, 'no-such'], mode: 'all' },
    { tags: [tag, other], mode: 'any', offset: FAR, links: 0 },
  ])
  add('list_nodes', [
    ...written(folder).map((path) => ({ path })),
    { path: folder.slice(0, -1), kinds: KINDS, limit: 1_000 },
    { path: inner, tag },
    { tag, kinds: KINDS },
    { kinds: [] },
    { offset: FAR },
    { community: 'no such' },
    ...['c1', 'c2'].map((community) => ({ community, kinds: ['note'], limit: 500 })),
  ])
  add(
    'resolve_nodes',
    [{}, { strategy: 'exact' }, { threshold: 0 }, { threshold: 1 }, { tag }, { path: folder }, { path: 'no such', tag }].map(
      (more) => ({
        names: [...titles.slice(0, 4), ...names.slice(0, 20), titles[0] ?? '', 'é', '++', '😀', 'x'.repeat(600)],
        ...more,
      }),
    ),
  )
  add('resolve_nodes', [{ names: [] }])
  for (const kind of [
    undefined,
    'broken_link',
    'broken_heading',
    'ambiguous_link',
    'orphan',
    'twin',
    'missing_note',
    'outside_link',
    'duplicate',
  ]) {
    add('get_problems', [
      { kind, folder: inner },
      { kind, folder: 'no such' },
      { kind, offset: FAR },
      { kind, summary: true, folder: folder.toUpperCase() },
    ])
  }
  add(
    'get_problems',
    [first, titles[1] ?? '', ...missing.slice(0, 3), file, 'no such'].flatMap((target) => [
      { target, limit: 100 },
      { target, summary: true },
      { target, kind: 'broken_link', folder },
    ]),
  )
  add('list_tags', [
    { prefix: `#${tag}` },
    { prefix: tag.toUpperCase() },
    { prefix: tag.normalize('NFD') },
    { prefix: 'no-such' },
    { offset: FAR },
  ])
  add('list_properties', [
    { prefix: 'R' },
    { prefix: 'no such' },
    { offset: FAR },
    ...properties.map((key) => ({ key, prefix: 'O', limit: 1_000 })),
    ...properties.map((key) => ({ key, offset: 1, limit: 2 })),
  ])
  add('get_tree', [
    ...written(inner).map((path) => ({ path })),
    ...folders.map((path) => ({ path, include_archived: true, limit: 1 })),
    { depth: 10, limit: 1, max_tokens: 100 },
  ])
  const queries = [
    ...[...WORDS, ...SIGNS].flatMap((one) => [one, `title:${one}`, `-${one} ${word}`]),
    ...WORDS.map((one) => `${one.slice(0, 2)}*`),
    ...[`"${word} ${next}"`, `"${word} ${next.slice(0, 2)}*"`, `-"${titles[0]?.replaceAll('"', '')}" ${word}`],
    ...[`(${word} OR ${next}) -(#${tag} OR has:link)`, `${word} OR -${next}`, `-${word}`],
    ...properties.flatMap((key) => {
      const name = /^[\p{L}\p{N}_-]+$/u.test(key) ? key : `"${key}"`
      const compared = ['<', '<=', '>', '>='].flatMap((operator, at) =>
        [VALUES[at], DATES[at]].map((value) => `#${name}${operator}${value}`),
      )
      return [
        ...compared,
        ...VALUES.map((value) => `#${name}=${value}`),
        `~${name}`,
        `~${name}="${titles[0]}"`,
        `~${name}="${missing[0]}"`,
      ]
    }),
    ...['created', 'modified'].flatMap((field) =>
      DATES.flatMap((date) => ['', '<', '<=', '>', '>='].map((sign) => `${field}:${sign}${date}`)),
    ),
    ...FEATURES.flatMap((feature) => [`has:${feature}`, `-has:${feature} ${word}`]),
    ...[titles[0], titles[1], first, second.toUpperCase(), missing[0], file, 'no such'].flatMap((name) => [
      `links:"${name}"`,
      `linkedfrom:"${name}"`,
      `-links:"${name}" ${word}`,
    ]),
    ...[
      'task:open',
      'task:done',
      'task:any',
      '-task:any',
      'type:open',
      'community:c1',
      'community:no-such',
      `path:"${folder.toUpperCase()}/"`,
    ],
  ]
  add(
    'find_nodes',
    queries.map((query, at) => ({
      query,
      limit: 30,
      order_by: ['title', 'created', 'modified'][at % 3],
      order: at % 2 === 0 ? 'asc' : 'desc',
      ...(at % 5 === 0 ? { include_archived: true } : {}),
      ...(at % 7 === 0 ? { folder } : {}),
    })),
  )
  add('find_nodes', [
    { query: word, offset: FAR },
    { query: word, folder: 'no such' },
    { query: '', order_by: 'created', links: 0, limit: 100, max_tokens: 50_000 },
  ])
  add('similar_nodes', [{ id: first, folder, tag }, { id: first.toUpperCase(), links: 0 }, { id: 'no such' }, { id: file }])
  add('compare', [
    { a: first, b: first },
    { a: titles[0], b: second.toUpperCase() },
    { a: first, b: file },
    { a: first, b: missing[0] ?? 'no such' },
  ])
  add('impact', [
    { id: file },
    { id: missing[0] ?? 'no such' },
    { id: titles[1] },
    ...written(inner).map((one) => ({ folder: one })),
  ])
  add('map', [
    { community: 'c1' },
    { community: 'c1', level: 2 },
    { community: 'no such' },
    { scope: 'no such' },
    { scope: folder.toUpperCase(), level: 2 },
  ])
  add('gaps', [
    { offset: FAR },
    { folder, limit: 3 },
    { folder: 'no such' },
    { kind: 'wanted', folder: inner, offset: 1, limit: 2 },
  ])
  add('suggest_links', [
    { folder },
    { kind: 'named', offset: 2, limit: 3 },
    { kind: 'related', id: second },
    { id: file },
    { id: 'no such' },
  ])
  const scoped = [
    { folder },
    { tag },
    { note: first },
    { note: 'no such' },
    { folder: 'no such' },
    { tag: 'no-such', mode: 'semantic' },
  ]
  add('search', [
    ...scoped.map((scope) => ({ query: word, ...scope })),
    ...[...WORDS, ...SIGNS].map((query) => ({ query, mode: 'keyword' })),
    ...['strict', 'loose'].map((relevance) => ({ query: titles[0], relevance, explain: true, include_content: true })),
    { query: word, offset: FAR },
  ])
  add('suggest_tags', [{ id: 'no such' }, { id: file }, { id: first, relevance: 'loose', limit: 10 }])
  add('context_pack', [
    { ids: ids.slice(0, 2) },
    { ids: [first, 'no such'], folder },
    { ids: [first], tag, max_tokens: 500 },
    { query: 'xyzzy plugh' },
  ])
  add('random_node', [{ tags: ['no-such-tag'] }])
  return calls
}
