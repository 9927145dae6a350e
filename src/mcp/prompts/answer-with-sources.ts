import { search } from '../../app/find/search.ts'
import { type Prompt, paragraphs, quoteFacts, vaultOrFolder } from './define-prompt.ts'

/** Notes whose passages are quoted. */
const QUOTED = 8

export const answerWithSourcesPrompt: Prompt = {
  definition: {
    name: 'summarise_with_sources',
    title: 'Summarise with sources',
    description: 'What the notes say about something, every sentence with its note and lines.',
    arguments: [
      { name: 'topic', description: 'A question or a topic.', required: true },
      { name: 'folder', description: 'Only this folder and below.' },
    ],
  },
  source: { name: 'search' },
  noteArguments: [],
  async text({ core, args, call }) {
    const { topic = '', folder } = args
    const asked = {
      query: topic,
      folder,
      limit: QUOTED,
      includeContent: false,
      relevance: 'normal',
      mode: 'hybrid',
      explain: false,
      links: 0,
    } as const
    const { value } = await search(core, asked, call)
    const passages = value.map(({ id, title, passages: own }) => ({
      id,
      title,
      passages: own.map(({ score: _, ...rest }) => rest),
    }))
    return paragraphs(
      `Summarise what ${vaultOrFolder(folder)} says about this: ${JSON.stringify(topic)}`,
      quoteFacts('Passages that search finds', passages),
      'Ask for more with search and get_node where these do not answer. Put behind every sentence the id and the lines that it is from, and quote only what stands there, word by word. Say what the notes leave open, and keep apart what you conclude.',
    )
  },
}
