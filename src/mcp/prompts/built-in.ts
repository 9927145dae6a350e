import { ProtocolError } from '@modelcontextprotocol/server'
import { INVALID_PARAMS } from '../protocol.ts'
import type { Prompt, PromptArgument } from './prompts.ts'

const MAX_DAYS = 365
const FOLDER: PromptArgument = { name: 'folder', description: 'Only this folder and its subfolders.' }
const MAP = { name: 'map', group: 'tools.insight' } as const

/** The built-in prompts. They contain no data, but tell the model which tools to call. */
export const BUILT_IN: readonly Prompt[] = [
  {
    definition: {
      name: 'explore_hubs',
      title: 'Explore the hubs',
      description: 'What this vault, or a folder of it, is about, seen from its most central notes.',
      arguments: [FOLDER],
    },
    source: { name: 'get_hubs' },
    noteArguments: [],
    text: ({ args: { folder }, isOn }) =>
      paragraphs(
        `Tell me what ${vaultOrFolder(folder)} is about.`,
        toolCalls(
          ...(isOn(MAP) ? [['map', { scope: folder }] as const] : []),
          ['get_hubs', { folder, limit: 15 }],
          ['find_nodes', { query: '', group_by: 'tag', folder, max_tokens: 500 }],
        ),
        'Read the first few hubs with get_node (depth 1). Group the hubs by theme, say what holds each group together and which notes bridge groups. Cite notes by path. End with three questions that these notes could answer.',
      ),
  },
  {
    definition: {
      name: 'trace_path',
      title: 'Trace a path between two notes',
      description: 'How two notes are connected, and through which sentences.',
      arguments: [
        { name: 'from', description: 'A note: id, title or alias.', required: true },
        { name: 'to', description: 'Another note: id, title or alias.', required: true },
      ],
    },
    source: { name: 'find_path' },
    noteArguments: ['from', 'to'],
    text: ({ args: { from = '', to = '' } }) =>
      paragraphs(
        `Explain how my notes ${JSON.stringify(from)} and ${JSON.stringify(to)} are connected.`,
        toolCalls(['find_path', { source: from, target: to, count: 3 }]),
        UNKNOWN_NOTE,
        'Follow the hops one by one: quote the sentence that makes each link and say what it means for the next. Say which path is the most informative, and cite notes by path.',
        'If there is no path, use search to find what the notes have in common, and say which two notes would be worth linking.',
      ),
  },
  {
    definition: {
      name: 'summarize_note',
      title: 'Summarize a note with its sources',
      description: 'What a note says, with lines or source notes for every statement.',
      arguments: [{ name: 'note', description: 'A note: id, title or alias.', required: true }],
    },
    source: { name: 'get_node' },
    noteArguments: ['note'],
    text: ({ args: { note = '' } }) =>
      paragraphs(
        `Summarize my note ${JSON.stringify(note)} in a few sentences, then in points.`,
        toolCalls(['get_node', { id: note, depth: 1 }]),
        UNKNOWN_NOTE,
        'Keep reading with next_offset until there is none. After every point, say where it comes from: the heading or line in this note, or the path of another note. Keep what the note says apart from what you conclude.',
      ),
  },
  {
    definition: {
      name: 'summarize_with_sources',
      title: 'Summarize with sources',
      description: 'What the notes say about something, with the note and lines for every sentence.',
      arguments: [{ name: 'topic', description: 'A question or a topic.', required: true }, FOLDER],
    },
    source: { name: 'search' },
    noteArguments: [],
    text: ({ args: { topic = '', folder } }) =>
      paragraphs(
        `Summarize what ${vaultOrFolder(folder)} says about this: ${JSON.stringify(topic)}`,
        toolCalls(['search', { query: topic, folder, limit: 8 }]),
        'If these passages do not answer it, look further with search and get_node. After every sentence, give the path and lines it comes from, and quote only what they say, word for word. Say what the notes leave open, and keep your own conclusions apart.',
      ),
  },
  {
    definition: {
      name: 'find_gaps',
      title: 'Find gaps',
      description: 'What is mentioned but not written, and what is written but not linked.',
      arguments: [FOLDER],
    },
    source: { name: 'get_problems' },
    noteArguments: [],
    text: ({ args: { folder } }) =>
      paragraphs(
        `Find the gaps in ${vaultOrFolder(folder)}.`,
        toolCalls(
          ['get_problems', { kind: 'missing_note', folder, limit: 15 }],
          ['get_problems', { kind: 'orphan', folder, limit: 15 }],
        ),
        'Name the missing notes that would help most, with what they should say and which notes already mention them. For notes without links, use search to find where a link belongs, and quote the sentence. Cite notes by path; change nothing.',
      ),
  },
  {
    definition: {
      name: 'weekly_review',
      title: 'Weekly review',
      description: 'What I worked on in the last few days, the results, and what is still open.',
      arguments: [{ name: 'days', description: `Number of days to look back, 1–${MAX_DAYS}; default 7.` }],
    },
    source: { name: 'changes_since', group: 'tools.insight', profile: 'full' },
    noteArguments: [],
    text({ args }) {
      const days = readDays(args.days)
      return paragraphs(
        `Review what I did in my vault in the last ${days === 1 ? 'day' : `${days} days`}.`,
        toolCalls(
          ['find_nodes', { query: `modified:day-${days}`, order_by: 'modified', limit: 50 }],
          ['changes_since', { since: `${days}d` }],
        ),
        'Read the notes that matter with get_node. Summarize my work, grouped by theme. Then list decisions and lessons, with quotations. List loose ends: unfinished tasks and questions, broken links, notes without links. Suggest links and new notes. Cite notes by path.',
      )
    },
  },
]

const UNKNOWN_NOTE = 'If a note is not found, look for its name with search or find_nodes.'

function toolCalls(...calls: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[]): string {
  return `Begin with ${calls.map(([tool, args]) => `\n- ${tool} ${JSON.stringify(args)}`).join('')}`
}

function paragraphs(...parts: readonly string[]): string {
  return parts.join('\n\n')
}

function vaultOrFolder(folder: string | undefined): string {
  return folder === undefined ? 'my vault' : `the folder ${JSON.stringify(folder)} of my vault`
}

/** Parses a number of days. @throws ProtocolError −32602 */
function readDays(text: string | undefined): number {
  if (text === undefined) return 7
  const days = /^\d{1,3}$/.test(text.trim()) ? Number(text) : 0
  if (days >= 1 && days <= MAX_DAYS) return days
  throw new ProtocolError(
    INVALID_PARAMS,
    `days: expected a whole number from 1 to ${MAX_DAYS}, got ${JSON.stringify(text.slice(0, 50))}.`,
  )
}
