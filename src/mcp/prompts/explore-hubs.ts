import { mapVault } from '../../app/insight/map.ts'
import { getHubs } from '../../app/links/get-hubs.ts'
import { listTags } from '../../app/read/list-tags.ts'
import { type Prompt, paragraphs, quoteFacts, vaultOrFolder } from './define-prompt.ts'

const HUBS = 15
const TAGS = 20
/** The largest communities say what the vault is about. */
const COMMUNITIES = 20

const MAP = { name: 'map', group: 'tools.insight' } as const

export const exploreHubsPrompt: Prompt = {
  definition: {
    name: 'explore_hubs',
    title: 'Explore the hubs',
    description: 'What this vault, or a folder of it, is about, seen from its most central notes.',
    arguments: [{ name: 'folder', description: 'Only this folder and below.' }],
  },
  source: { name: 'get_hubs' },
  noteArguments: [],
  async text({ core, args: { folder }, call, isOn }) {
    const map = isOn(MAP) ? await mapVault(core, { level: 1, scope: folder }, call) : undefined
    const communities = map?.value.communities ?? []
    const themes = communities.slice(0, COMMUNITIES).map(({ id, label, notes, about }) => ({ id, label, notes, about }))
    // Why there are none, where that is not because there is nothing.
    const stale = (map?.warnings ?? []).flatMap(({ code, message }) => (code === 'STALE' ? [message] : []))
    const { value: hubs } = await getHubs(core, { metric: 'in_degree', limit: HUBS, folder }, call)
    const { value: tags } = await listTags(core, { limit: TAGS }, call)
    return paragraphs(
      `Tell me what ${vaultOrFolder(folder)} is about, beginning with its ${map === undefined ? '' : 'communities and '}most central notes.`,
      ...stale,
      ...(themes.length === 0 ? [] : [quoteFacts('Its communities of notes, largest first', themes)]),
      quoteFacts('Notes by how many others link to them', hubs),
      quoteFacts('The most used tags', tags),
      'Read the first few with get_node (depth 1), group the hubs by theme, say what holds each group together and which notes bridge groups. Cite notes by id. End with three questions that these notes could answer.',
    )
  },
}
