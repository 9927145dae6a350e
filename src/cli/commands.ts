import { GLOBAL_OPTIONS, HTTP_OPTION, type Option, PUBLIC_OPTION, WRITE_OPTION } from './arguments.ts'

export interface Command {
  readonly name: string
  readonly sentence: string
  readonly usage: string
  readonly words: number
  /** True if the first argument is free text, even if it is "help". */
  readonly takesText?: true
  readonly options?: readonly Option[]
}

const CLIENT_OPTIONS: readonly Option[] = [
  { name: 'name', type: 'text', default: 'roux', sentence: 'The name of the server there; use a different one for each vault.' },
  { name: 'dry-run', type: 'flag', sentence: 'Show the change without making it.' },
]

const STORE_OPTION: Option = {
  name: 'store',
  type: 'text',
  values: ['embedded', 'neo4j'],
  sentence: 'Override store.type: files on this computer, or the Neo4j database at store.neo4j.url.',
}

const OF_VAULT = { usage: '[vault]', words: 1 } as const

export const COMMANDS = [
  {
    name: 'serve',
    sentence: 'Serve the vault to AI assistants (MCP) over stdio, or over HTTP.',
    ...OF_VAULT,
    options: [
      WRITE_OPTION,
      HTTP_OPTION,
      PUBLIC_OPTION,
      { name: 'background', type: 'flag', sentence: 'Start the shared server, let it open the vault, and return.' },
      { name: 'web', type: 'flag', sentence: 'With --http: also serve the page that "roux open" shows.' },
      { name: 'verbose', type: 'flag', sentence: 'Include local paths in roux://system-info.' },
    ],
  },
  {
    name: 'stop',
    sentence: 'Stop the shared server. The next assistant starts it again.',
    usage: '',
    words: 0,
  },
  {
    name: 'open',
    sentence: 'Show the vault in the browser: its map, notes and links.',
    usage: '[vault or note]',
    words: 1,
    options: [
      { name: 'note', type: 'text', sentence: 'Start at this note (id or title).' },
      { name: 'print', type: 'flag', sentence: 'Print the address instead of opening a browser.' },
      { name: 'port', type: 'integer', default: 0, sentence: 'The port to listen on; 0 for any free port.' },
    ],
  },
  {
    name: 'init',
    sentence: 'Write a roux.config.yaml with every setting into the vault.',
    ...OF_VAULT,
  },
  {
    name: 'install',
    sentence: 'Add Roux to Claude Desktop, Claude Code, Cursor, VS Code or Zed.',
    usage: '<client>',
    words: 1,
    options: [
      ...CLIENT_OPTIONS,
      { name: 'write', type: 'flag', sentence: 'Let the server change notes (starts it with --write).' },
      { name: 'http', type: 'flag', sentence: 'Use the server of "roux serve --http" instead of starting one.' },
      { name: 'create', type: 'flag', sentence: 'Create the settings file even if the program was not found.' },
      { name: 'force', type: 'flag', sentence: 'Replace a server with that name even if it is not Roux.' },
    ],
  },
  {
    name: 'uninstall',
    sentence: 'Remove Roux from one of these programs.',
    usage: '<client>',
    words: 1,
    options: [...CLIENT_OPTIONS, { name: 'force', type: 'flag', sentence: 'Remove the server even if it is not Roux.' }],
  },
  {
    name: 'status',
    sentence: 'Show the state of the index and of search.',
    ...OF_VAULT,
    options: [STORE_OPTION],
  },
  {
    name: 'doctor',
    sentence: 'Check the installation, the settings and the vault.',
    ...OF_VAULT,
  },
  {
    name: 'index',
    sentence: 'Update links, words and embeddings, and show the progress.',
    ...OF_VAULT,
    options: [
      {
        name: 'download',
        type: 'flag',
        sentence: 'Download embedder.model from the Hugging Face hub if it is missing.',
      },
      STORE_OPTION,
    ],
  },
  {
    name: 'feed',
    sentence: 'Keep the vaults in the Neo4j database at store.neo4j.url up to date until stopped.',
    usage: '[vault]…',
    words: 100,
    options: [{ name: 'remove', type: 'flag', sentence: 'Remove these vaults, given by their names in the database.' }],
  },
  {
    name: 'eval',
    sentence: 'Measure search quality with queries generated from the vault.',
    ...OF_VAULT,
    options: [
      { name: 'queries', type: 'integer', default: 200, sentence: 'Maximum queries of each kind.' },
      { name: 'seed', type: 'integer', default: 1, sentence: 'The same seed generates the same queries.' },
    ],
  },
  {
    name: 'export',
    sentence: 'Write the whole graph.',
    ...OF_VAULT,
    options: [
      {
        name: 'format',
        type: 'text',
        short: 'f',
        values: ['json', 'graphml', 'gexf', 'dot', 'csv', 'html'],
        default: 'json',
        sentence: 'The format; csv lists the links only, html is the map as one self-contained page.',
      },
      { name: 'output', type: 'text', short: 'o', sentence: 'A file to write to instead of stdout.' },
      { name: 'communities', type: 'flag', sentence: "Add each note's communities (not in csv)." },
      { name: 'semantic', type: 'flag', sentence: 'Add pairs of similar notes with their scores.' },
      { name: 'texts', type: 'flag', sentence: 'With html: include the texts of the notes.' },
      { name: 'quotes', type: 'flag', sentence: 'With html: include the sentences that contain the links.' },
    ],
  },
  {
    name: 'trust',
    sentence: 'Trust the roux.config.yaml of the vault, or of a folder.',
    ...OF_VAULT,
  },
  {
    name: 'forget',
    sentence: 'Remove the history of a vault: its change log and its undo history.',
    ...OF_VAULT,
    options: [{ name: 'yes', type: 'flag', sentence: 'Do not ask.' }],
  },
  {
    name: 'token',
    sentence: 'Show, rotate, add or remove tokens for HTTP clients, and list or remove connections.',
    usage: '<show|rotate|add|remove|list> [name]',
    words: 2,
    options: [
      {
        name: 'scope',
        type: 'text',
        default: 'read',
        sentence: 'For add: the scopes, from read, write, attach and ai, separated by commas.',
      },
      {
        name: 'vaults',
        type: 'text',
        default: '*',
        sentence: 'For add: the names of its vaults, separated by commas.',
      },
    ],
  },
  {
    name: 'connect',
    sentence: 'Let one hosted assistant sign in, and print the code to enter on the page that it opens.',
    usage: '',
    words: 0,
    options: [
      {
        name: 'scope',
        type: 'text',
        default: 'read',
        sentence: 'The scopes that it may get at most: read, write and attach, separated by commas.',
      },
      { name: 'vaults', type: 'text', default: '*', sentence: 'The names of its vaults, separated by commas.' },
    ],
  },
  {
    name: 'ask',
    sentence: 'Let a chat model answer a question from the notes, with verified sources.',
    usage: '<question>',
    words: 1,
    takesText: true,
    options: [
      { name: 'note_id', type: 'text', sentence: 'Only this note: id or title.' },
      { name: 'folder', type: 'text', sentence: 'Only this folder.' },
      { name: 'tag', type: 'text', sentence: 'Only notes with this tag or a tag nested in it.' },
      {
        name: 'relevance',
        type: 'text',
        values: ['strict', 'normal', 'loose'],
        default: 'normal',
        sentence: 'How relevant a passage must be.',
      },
      { name: 'show-prompt', type: 'flag', sentence: 'Show the prompt without sending it.' },
    ],
  },
  {
    name: 'ai',
    sentence: 'Show what may leave this computer, allow or revoke a model server, or test the chat model.',
    usage: '<status|allow|revoke|test> [address]',
    words: 2,
  },
  {
    name: 'usage',
    sentence: 'Show requests to models and the tokens they used.',
    usage: '',
    words: 0,
    options: [{ name: 'days', type: 'integer', default: 7, sentence: 'The number of days, including today.' }],
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
    name: 'completion',
    sentence: 'Print a script that lets your shell complete commands, options, vaults and notes.',
    usage: '<bash|zsh|fish>',
    // The limit is high, because the completion script passes the whole command line.
    words: 10_000,
  },
  {
    name: 'help',
    sentence: 'Show all commands and tools, help for one of them, or the settings.',
    usage: '[command|tool|settings]',
    words: 1,
  },
] as const satisfies readonly Command[]

export type CommandName = (typeof COMMANDS)[number]['name']

export interface KnownCommand extends Command {
  readonly name: CommandName
}

export function optionsOfCommand({ options = [] }: Command): readonly Option[] {
  return [...options, ...GLOBAL_OPTIONS]
}

export function findCommand(name: string): KnownCommand | undefined {
  return COMMANDS.find((command) => command.name === name)
}
