import { HTTP_OPTION, type Option, WRITE_OPTION } from './arguments.ts'

/** A command that is not a tool. `run.ts` names its code and loads it on demand. */
export interface Command {
  readonly name: CommandName
  readonly sentence: string
  /** The usage after the name, for people. */
  readonly usage: string
  /** The number of words that may follow. */
  readonly words: number
  /** The first word is a text of the user's own, which may be "help". */
  readonly takesText?: true
  readonly options?: readonly Option[]
}

export type CommandName =
  | 'serve'
  | 'open'
  | 'init'
  | 'install'
  | 'uninstall'
  | 'status'
  | 'doctor'
  | 'index'
  | 'feed'
  | 'eval'
  | 'export'
  | 'trust'
  | 'forget'
  | 'token'
  | 'ask'
  | 'verify-quote'
  | 'ai'
  | 'usage'
  | 'call'
  | 'help'

const CLIENT_OPTIONS: readonly Option[] = [
  { name: 'name', type: 'text', default: 'roux', sentence: 'The name of the server there; another one for each vault.' },
  { name: 'dry-run', type: 'flag', sentence: 'Show what would change, and change nothing.' },
]

/** The commands that are not tools, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    sentence: 'Serve the vault to AI assistants (MCP) over stdio, or over HTTP.',
    usage: '[vault]',
    words: 1,
    options: [
      WRITE_OPTION,
      HTTP_OPTION,
      { name: 'web', type: 'flag', sentence: 'With --http: also the page that "roux open" shows.' },
      { name: 'verbose', type: 'flag', sentence: 'Tell clients also where things are on this computer, in roux://system-info.' },
    ],
  },
  {
    name: 'open',
    sentence: 'Look at the vault in the browser: its map, its notes, and how they are linked.',
    usage: '[vault or note]',
    words: 1,
    options: [
      { name: 'note', type: 'text', sentence: 'Begin at this note, by its id or title.' },
      { name: 'print', type: 'flag', sentence: 'Print the address instead of opening a browser.' },
      { name: 'port', type: 'integer', default: 0, sentence: 'Where to listen; 0 for any port that is free.' },
    ],
  },
  {
    name: 'init',
    sentence: 'Write a roux.config.yaml with every setting into the vault.',
    usage: '[vault]',
    words: 1,
  },
  {
    name: 'install',
    sentence: 'Put Roux into the settings of Claude Desktop, Claude Code, Cursor, VS Code or Zed.',
    usage: '<client>',
    words: 1,
    options: [
      ...CLIENT_OPTIONS,
      { name: 'write', type: 'flag', sentence: 'Let the server change notes: it is started with --write.' },
      { name: 'http', type: 'flag', sentence: 'Use the server that "roux serve --http" runs, instead of starting one.' },
      { name: 'create', type: 'flag', sentence: 'Make the settings file also where the program was not found.' },
      { name: 'force', type: 'flag', sentence: 'Take the place of a server of that name that is not Roux.' },
    ],
  },
  {
    name: 'uninstall',
    sentence: 'Take Roux out of the settings of such a program.',
    usage: '<client>',
    words: 1,
    options: [...CLIENT_OPTIONS, { name: 'force', type: 'flag', sentence: 'Also a server of that name that is not Roux.' }],
  },
  {
    name: 'status',
    sentence: 'Tell what is known of the vault, and how much of it can be searched.',
    usage: '[vault]',
    words: 1,
  },
  {
    name: 'doctor',
    sentence: 'Look for what is wrong with the installation, the settings and the vault.',
    usage: '[vault]',
    words: 1,
  },
  {
    name: 'index',
    sentence: 'Bring everything up to date with progress: links, words, and what notes are about.',
    usage: '[vault]',
    words: 1,
    options: [
      {
        name: 'download',
        type: 'flag',
        sentence: 'Get the model of embedder.model from the Hugging Face hub if it is not on this computer.',
      },
      {
        name: 'store',
        type: 'text',
        values: ['embedded', 'neo4j'],
        sentence: 'Where to: files of this computer, or the Neo4j database of store.neo4j.url, as store.type says otherwise.',
      },
    ],
  },
  {
    name: 'feed',
    sentence: 'Keep vaults in the Neo4j database of store.neo4j.url up to date with their folders, until it is stopped.',
    usage: '[vault]…',
    words: 100,
    options: [
      { name: 'remove', type: 'flag', sentence: 'Remove what was fed of these vaults, by the names that they have there.' },
    ],
  },
  {
    name: 'eval',
    sentence: 'Tell how well notes are found: ask the vault for its own notes, or score collections.',
    usage: '[vault]',
    words: 1,
    options: [
      { name: 'queries', type: 'integer', default: 200, sentence: 'Queries of each kind at the most.' },
      { name: 'seed', type: 'integer', default: 1, sentence: 'The same seed makes the same queries.' },
      { name: 'collection', type: 'text', many: true, sentence: 'A folder with judged queries, to score instead of a vault.' },
      { name: 'compare', type: 'text', sentence: 'Two settings side by side, as a=1,a=2.' },
    ],
  },
  {
    name: 'export',
    sentence: 'Write the whole graph.',
    usage: '[vault]',
    words: 1,
    options: [
      {
        name: 'format',
        type: 'text',
        short: 'f',
        values: ['json', 'graphml', 'dot', 'csv', 'html'],
        default: 'json',
        sentence: 'How; csv is a list of edges, so it holds the links only; html is the map, as a page that needs nothing else.',
      },
      { name: 'output', type: 'text', short: 'o', sentence: 'A file to write it to, instead of stdout.' },
      { name: 'communities', type: 'flag', sentence: 'With the communities of each note, as map has them; not in csv.' },
      { name: 'semantic', type: 'flag', sentence: 'With pairs of notes that are about the same, and their scores.' },
      { name: 'texts', type: 'flag', sentence: 'With html: also the texts of the notes, to be read in the page.' },
    ],
  },
  {
    name: 'trust',
    sentence: 'Let the roux.config.yaml of the vault, or of a folder, set what widens trust.',
    usage: '[vault]',
    words: 1,
  },
  {
    name: 'forget',
    sentence: 'Forget what is remembered of the past of a vault: what changed in it, and what was written into it.',
    usage: '[vault]',
    words: 1,
    options: [{ name: 'yes', type: 'flag', sentence: 'Do not ask.' }],
  },
  {
    name: 'token',
    sentence: 'Show, change, add or remove the tokens that clients over HTTP need.',
    usage: '<show|rotate|add|remove|list> [name]',
    words: 2,
    options: [
      {
        name: 'scope',
        type: 'text',
        default: 'read',
        sentence: 'For add: what it allows, of read, write, attach and ai; read,write allows both.',
      },
      {
        name: 'vaults',
        type: 'text',
        default: '*',
        sentence: 'For add: the names of the vaults it is for, with commas between them.',
      },
    ],
  },
  {
    name: 'ask',
    sentence: 'Have a chat model answer a question from the notes, with sources that were looked up.',
    usage: '<question>',
    words: 1,
    takesText: true,
    options: [
      { name: 'note_id', type: 'text', sentence: 'Only this note: id or title.' },
      { name: 'folder', type: 'text', sentence: 'Only this folder.' },
      { name: 'tag', type: 'text', sentence: 'Only with this tag or one nested in it.' },
      {
        name: 'relevance',
        type: 'text',
        values: ['strict', 'normal', 'loose'],
        default: 'normal',
        sentence: 'How sure a passage must be.',
      },
      { name: 'show-prompt', type: 'flag', sentence: 'Show what the model would be sent, and send it nothing.' },
    ],
  },
  {
    name: 'verify-quote',
    sentence: 'Tell whether a quote stands in a note, and on which lines.',
    usage: '<note> <quote>',
    words: 2,
    takesText: true,
  },
  {
    name: 'ai',
    sentence: 'Show what may leave this computer, allow or revoke a server that runs models, or ask the chat model for a word.',
    usage: '<status|allow|revoke|test> [address]',
    words: 2,
  },
  {
    name: 'usage',
    sentence: 'Show what models were asked, and how many tokens that took.',
    usage: '',
    words: 0,
    options: [{ name: 'days', type: 'integer', default: 7, sentence: 'How many days, today included.' }],
  },
  {
    name: 'call',
    sentence: 'Call a tool with arguments as JSON, or from stdin for "-".',
    usage: '<tool> [json|-]',
    words: 2,
    takesText: true,
    options: [WRITE_OPTION],
  },
  {
    name: 'help',
    sentence: 'Show every command and tool, one of them, or the settings.',
    usage: '[command|tool|settings]',
    words: 1,
  },
]

/** Finds a command by name. */
export function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name)
}
