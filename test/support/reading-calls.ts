/** A call of a read tool. */
export type ReadingCall = readonly [tool: string, args: Readonly<Record<string, unknown>>]

/** Values from a vault to build calls from. */
export interface VaultSample {
  /** Notes from across the vault. */
  readonly ids: readonly string[]
  readonly titles: readonly string[]
  readonly missing: readonly string[]
  readonly folders: readonly string[]
  readonly tags: readonly string[]
  readonly properties: readonly string[]
  /** Words from titles. */
  readonly words: readonly string[]
  /** Attachments and canvases. */
  readonly files: readonly string[]
  /** Notes, each with one of its headings. */
  readonly sections: readonly (readonly [id: string, heading: string])[]
}

const page = (args: Readonly<Record<string, unknown>>) => [
  args,
  { ...args, limit: 3, offset: 2 },
  { ...args, limit: 50, max_tokens: 20_000 },
]

/** Every read tool with a repeatable answer, with edge cases of its arguments. */
export function readingCalls(sample: VaultSample): readonly ReadingCall[] {
  const { ids, titles, missing, folders, tags, properties, words } = sample
  const [first = '', second = ''] = ids
  const calls: ReadingCall[] = []
  const add = (tool: string, all: readonly Readonly<Record<string, unknown>>[]) => {
    for (const args of all) calls.push([tool, args])
  }
  add(
    'get_node',
    ids.flatMap((id) => [{ id }, { id, depth: 1 }, { id, max_chars: 50, offset: 10 }]),
  )
  add(
    'get_node',
    [...titles.slice(0, 8), ...missing.slice(0, 2), 'no such note at all', ''].map((id) => ({ id })),
  )
  for (const id of [...ids.slice(0, 6), ...missing.slice(0, 3)]) {
    add('get_neighbors', page({ id }))
    add(
      'get_neighbors',
      ['in', 'out', 'both'].map((direction) => ({ id, direction, evidence: true, limit: 30 })),
    )
    add('get_neighbors', [
      { id, kinds: ['note', 'attachment', 'canvas', 'missing'], include_content: true },
      { id, type: 'up' },
    ])
  }
  for (const [at, source] of ids.entries()) {
    const target = ids[(at * 7 + 3) % ids.length] ?? first
    add('find_path', [
      { source, target },
      { source, target, count: 5 },
      { source, target, direction: 'out' },
      { source, target, avoid_hubs: true },
    ])
  }
  add('find_path', [
    { source: first, target: first },
    { source: first, target: 'no such note at all' },
  ])
  for (const metric of ['in_degree', 'out_degree', 'pagerank', 'betweenness']) {
    add('get_hubs', [
      ...page({ metric }),
      ...folders.slice(0, 2).map((folder) => ({ metric, folder })),
      ...tags.slice(0, 2).map((tag) => ({ metric, tag })),
    ])
  }
  const names = [
    ...titles.slice(0, 10),
    ...titles.slice(0, 5).map((title) => title.toUpperCase()),
    ...missing.slice(0, 3),
    'no such',
    'é',
    '',
  ]
  const misspelled = titles.slice(0, 15).map((title) => title.replace(/[aeiou]/, 'x'))
  add('resolve_nodes', [
    { names },
    { names, strategy: 'fuzzy' },
    { names: misspelled, strategy: 'fuzzy' },
    { names: misspelled, strategy: 'fuzzy', threshold: 0.4 },
  ])
  add('resolve_nodes', [
    { names: titles.slice(0, 3), strategy: 'semantic' },
    { names, path: folders[0] ?? '' },
  ])
  add(
    'similar_nodes',
    ids.slice(0, 5).flatMap((id) => [{ id }, { id, limit: 3, offset: 1, exclude_linked: true }, { id, relevance: 'loose' }]),
  )
  add('compare', [
    { a: first, b: second },
    { a: second, b: ids[2] ?? first },
  ])
  add('impact', [...ids.slice(0, 5).map((id) => ({ id })), ...folders.slice(0, 2).map((folder) => ({ folder }))])
  for (const tag of tags.slice(0, 6)) add('search_by_tags', page({ tags: [tag] }))
  add('search_by_tags', [
    { tags: tags.slice(0, 3) },
    { tags: tags.slice(0, 2), mode: 'all' },
    { tags: ['#No-such'] },
    { tags: [(tags[0] ?? 'x').toUpperCase()] },
  ])
  add('list_nodes', [...page({}), { kinds: ['attachment', 'canvas', 'missing'], limit: 300 }, { kinds: ['missing'], offset: 5 }])
  add('list_nodes', [
    ...folders.map((path) => ({ path })),
    ...tags.slice(0, 3).map((tag) => ({ tag, limit: 500 })),
    { path: 'no/such' },
  ])
  add('list_tags', [{}, { offset: 5 }, { prefix: (tags[0] ?? 'a').slice(0, 2) }])
  add('list_properties', [
    {},
    { limit: 2, offset: 1 },
    ...properties.flatMap((key) => [{ key }, { key: key.toUpperCase(), limit: 500 }]),
    { key: 'no such' },
  ])
  add('get_tree', [
    {},
    { depth: 1 },
    { depth: 9, limit: 1_000, max_tokens: 50_000 },
    { limit: 3 },
    { include_archived: true },
    ...folders.map((path) => ({ path, depth: 2 })),
  ])
  add('nodes_exist', [{ ids: [...ids, ...missing, ...titles, 'no such', '../x'] }])
  const kinds = [
    'broken_link',
    'broken_heading',
    'ambiguous_link',
    'malformed',
    'orphan',
    'twin',
    'outside_link',
    'conflict_copy',
    'missing_note',
  ]
  add('get_problems', [...page({}), { summary: true }, ...kinds.flatMap((kind) => [{ kind }, { kind, limit: 4, offset: 3 }])])
  add('get_problems', [
    ...folders.slice(0, 3).flatMap((folder) => [{ folder }, { folder, summary: true }]),
    ...ids.slice(0, 5).map((target) => ({ target })),
  ])
  const queries = [
    ...words,
    ...words.map((word) => `${word.slice(0, 3)}*`),
    ...titles.slice(0, 4).map((title) => `"${title.replaceAll('"', '')}"`),
    `${words[0]} ${words[1]}`,
    `${words[0]} OR ${words[1]}`,
    `${words[0]} -${words[1]}`,
    `title:${words[2]}`,
    ...tags.slice(0, 3).map((tag) => `#${tag}`),
    ...tags.slice(0, 2).map((tag) => `${words[0]} -#${tag}`),
    ...properties.slice(0, 4).flatMap((key) => [`#${key}=`, `#${key}>1`, `#${key}<2030`]),
    ...folders.slice(0, 2).map((folder) => `path:"${folder}"`),
    ...[
      'has:attachment',
      'has:link',
      'has:backlink',
      'has:tag',
      'has:alias',
      'has:property',
      'task:open',
      'task:any',
      '-has:link',
    ],
    ...['created:>2020', 'modified:<2030', 'xyzzy plugh', '(', ''],
    ...titles.slice(0, 3).flatMap((title) => [`links:"${title}"`, `linkedfrom:"${title}"`]),
  ]
  for (const query of queries) {
    add('find_nodes', [
      { query, limit: 50 },
      { query, order_by: 'title', limit: 5, offset: 2 },
      { query, order_by: 'modified', order: 'asc' },
    ])
  }
  const questions = [...words.slice(0, 4), ...titles.slice(0, 6), `what about ${words[0]} and ${words[1]}?`, 'xyzzy plugh']
  for (const query of questions)
    add('search', [
      { query },
      { query, mode: 'keyword', limit: 5 },
      { query, mode: 'semantic', limit: 5 },
      { query, folder: folders[0] ?? '' },
    ])
  add('map', [{}, { level: 2 }, ...folders.slice(0, 1).map((scope) => ({ scope }))])
  add('gaps', [{}, ...['apart', 'cut', 'wanted', 'dead_ends'].map((kind) => ({ kind }))])
  add('suggest_links', [{}, ...ids.slice(0, 3).map((id) => ({ id })), { kind: 'related', limit: 5 }])
  add(
    'context_pack',
    questions.slice(0, 4).map((query) => ({ query })),
  )
  return calls
}
