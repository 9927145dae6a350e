import type { Chat } from '../../src/core/chat.ts'

/** Sixty notes that link to each other, share tags and aliases, and each have one broken link. */
export const NOTES = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `Beds/Note ${at}.md`,
    `---\ntags: [bed, bed/row${at % 7}]\naliases: [Number ${at}]\n---\n# Note ${at}\n\nCompost and water for [[Note ${(at + 1) % 60}]] and [[Note 0]]. See [[nowhere ${at}]].\n`,
  ]),
)

/** A chat model that gives every question the same answer. */
export const CHAT: Chat = {
  context: 4_096,
  maxTokens: 200,
  mayLeave: (paths) => paths.map(() => true),
  open: async () => ({
    id: 'fake',
    model: 'fake',
    location: 'local',
    async *chat() {
      yield { kind: 'text', text: 'Compost and water [S1].' }
      yield { kind: 'end', finish: 'stop', usage: { input: 9, output: 9, estimated: false }, expected: 9 }
    },
  }),
}

/** Every read tool, with arguments whose answers fill `limit`. */
export const CALLS: readonly (readonly [tool: string, args: (limit: number) => object])[] = [
  ['search', (limit) => ({ query: 'compost and water', limit, relevance: 'loose' })],
  ['search', (limit) => ({ query: 'compost for #bed and water.can', limit, relevance: 'loose' })],
  ['similar_nodes', (limit) => ({ id: 'beds/note 1.md', limit, relevance: 'loose' })],
  ['suggest_tags', (limit) => ({ id: 'beds/note 0.md', limit: Math.min(limit, 10), relevance: 'loose' })],
  ['ask', () => ({ question: 'compost and water' })],
  ['ask', () => ({ question: 'compost and water', note_id: 'beds/note 0.md' })],
  ['context_pack', (limit) => ({ query: 'compost and water', max_tokens: limit * 500 })],
  ['context_pack', (limit) => ({ ids: Array.from({ length: limit }, (_, at) => `beds/note ${at}.md`) })],
  ['impact', () => ({ id: 'beds/note 0.md' })],
  ['impact', () => ({ folder: 'beds' })],
  ['compare', () => ({ a: 'beds/note 0.md', b: 'beds/note 1.md' })],
  ['verify_quote', () => ({ id: 'beds/note 0.md', quote: 'compost' })],
  ['find_nodes', (limit) => ({ query: 'compost', limit })],
  ['find_nodes', (limit) => ({ query: 'links:"Number 0" #tags>3 ~up="Number 1" task:any OR compost', limit })],
  ['find_nodes', (limit) => ({ query: 'links:"Number 2" #tagz=3', limit })],
  ['get_node', (limit) => ({ id: 'beds/note 0.md', depth: limit > 1 ? 1 : 0 })],
  ['get_neighbors', (limit) => ({ id: 'beds/note 0.md', limit })],
  ['get_neighbors', (limit) => ({ id: 'beds/note 0.md', limit, evidence: true })],
  ['find_path', (limit) => ({ source: 'beds/note 1.md', target: 'beds/note 30.md', count: Math.min(limit, 5) })],
  ['find_path', () => ({ source: 'Number 1', target: 'Number 30', count: 5, avoid_hubs: true })],
  ['compare', () => ({ a: 'Number 0', b: 'Number 1' })],
  ['get_node', () => ({ id: 'Number 0', depth: 1 })],
  ['suggest_links', () => ({ id: 'Number 0' })],
  ['get_hubs', (limit) => ({ metric: 'pagerank', limit })],
  ['search_by_tags', (limit) => ({ tags: ['bed'], limit })],
  ['random_node', () => ({ tags: ['bed'] })],
  ['resolve_nodes', (limit) => ({ names: Array.from({ length: limit }, (_, at) => `Note ${at}x`) })],
  ['nodes_exist', (limit) => ({ ids: Array.from({ length: limit }, (_, at) => `beds/note ${at}`) })],
  ['list_nodes', (limit) => ({ limit })],
  ['list_tags', () => ({})],
  ['list_properties', (limit) => ({ limit })],
  ['list_properties', (limit) => ({ limit, key: 'tagz' })],
  ['get_tree', (limit) => ({ limit })],
  ['map', () => ({})],
  ['suggest_links', (limit) => ({ limit: Math.min(limit, 100) })],
  ['suggest_links', (limit) => ({ id: 'beds/note 0.md', limit: Math.min(limit, 100) })],
  ['changes_since', (limit) => ({ since: '7d', limit: Math.min(limit, 100) })],
  ['gaps', (limit) => ({ limit: Math.min(limit, 100) })],
  ['get_problems', (limit) => ({ limit })],
  ['get_problems', (limit) => ({ limit, kind: 'missing_note' })],
  ['get_problems', (limit) => ({ limit: Math.min(limit, 100), kind: 'duplicate' })],
  ['get_problems', (limit) => ({ limit, target: 'Number 0' })],
  ['get_problems', () => ({ summary: true, target: 'Number 0' })],
]
