import type { Mode } from '../core/note.ts'

/**
 * The type of a value. A `path` becomes absolute relative to its source; `~/` works. A `model` is a name, or a path if
 * it starts with `./`, `../`, `~` or `/`.
 */
export type SettingType =
  | { readonly kind: 'text' | 'path' | 'model' | 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** A number, or `auto`. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly of: 'text' | 'path' }
  /** No computer, any (`true`), or these, by name. */
  | { readonly kind: 'hosts' }

/** One setting: everything that is said about it, in files, in help and in errors, is said here. */
export interface Setting<Key extends string = string, Value = unknown> {
  /** `section.name`; `section.*` stands for any name that the section's owner knows. */
  readonly key: Key
  readonly type: SettingType
  readonly default: Value
  readonly sentence: string
  /** Not taken from a file in the vault or the working directory before `roux trust` was said for it. */
  readonly widens: boolean
  /** How the lists of several sources are combined; absent: the first one wins. `any`: they add up. `every`: a note must fit each of them. */
  readonly combines?: 'any' | 'every'
  /** Values that are taken all the same, because nothing leaves the machine or comes to it by them. */
  readonly harmless?: readonly Value[]
}

/** Every setting that has an effect, in the order in which people read them. */
export const SETTINGS = [
  path('vault.path', 'The folder with the notes; empty for the working directory.', { widens: true }),
  path(
    'vaults.*',
    'Several vaults in one server: a name of your own each, and its folder. Ids then begin with the name, as in `work:projects/garden.md`; they are asked together instead of `vault.path`, unless one is named with `--vault`.',
    { widens: true },
  ),
  choice('vault.mode', ['auto', 'obsidian', 'foam', 'logseq', 'docs'] satisfies readonly ('auto' | Mode)[], 'auto', {
    sentence: 'What kind of vault it is; `auto` goes by its marker folder, and without one by how its notes link.',
  }),
  choice('vault.watch', ['auto', 'polling', 'off'], 'auto', {
    sentence:
      'How a server notices changes: `auto` by events of the file system, `polling` for network drives, `off` not at all.',
  }),
  texts(
    'vault.ignore',
    'Files and folders to leave out, as glob patterns relative to the vault, besides names that begin with a dot and `node_modules`.',
  ),
  flag('vault.gitignore', false, 'Leave out what `.gitignore` files leave out.'),
  paths('vault.link_roots', 'Folders outside the vault that symbolic links in it may lead to.', { widens: true }),
  choice('links.profile', ['lenient', 'obsidian'], 'lenient', {
    sentence: 'How links find their notes: `obsidian` to the letter of that application, `lenient` also by aliases and folders.',
  }),
  flag('links.comments', true, 'Count links and tags inside `%% comments %%`.'),
  flag('tags.link_text', true, 'Count `#3rd` in the text of a link as a tag: `[Report #3rd](report.md)`.'),
  flag('tags.colors', true, 'Count what may be a colour as a tag: `#` and three to eight hexadecimal digits, such as `#fff`.'),
  choice('embedder.kind', ['static', 'transformers', 'openai', 'none'], 'static', {
    sentence:
      'What finds notes by meaning: `static` is built in and needs nothing, `transformers` runs a larger model on this computer, `openai` asks a server that speaks that protocol (Ollama, LM Studio, vLLM, OpenAI), `none` leaves finding to words alone.',
    widens: true,
    harmless: ['static', 'none'],
  }),
  {
    ...text(
      'embedder.model',
      'Which model. For `transformers` an id of the Hugging Face hub, or a folder written as `./…`, `~/…` or a full path; empty for Xenova/all-MiniLM-L6-v2. For `openai` the name that the server knows it by.',
      { widens: true },
    ),
    type: { kind: 'model' },
  },
  text(
    'embedder.base_url',
    'For `openai`: where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1. If it wants a key, put that into the variable `ROUX_EMBEDDER_API_KEY`, never into a file.',
    { widens: true },
  ),
  integer(
    'embedder.dimensions',
    { min: 0, max: 4096, value: 0 },
    'How many numbers describe a passage; 0 for as many as the model makes. With `static`, and with servers that can shorten them, fewer are faster and less exact.',
    { widens: true },
  ),
  text(
    'embedder.query_prefix',
    'What the model wants in front of every question; `auto` for what is known of it by its name, empty for nothing.',
    { default: 'auto', widens: true },
  ),
  text(
    'embedder.passage_prefix',
    'What the model wants in front of every passage; `auto` for what is known of it by its name, empty for nothing.',
    { default: 'auto', widens: true },
  ),
  integer(
    'embedder.max_tokens',
    { min: 0, max: 100_000, value: 0 },
    'How much of a passage the model reads, in tokens of some four letters; 0 for as much as it is known to take. `static` reads all.',
    { widens: true },
  ),
  integer('embedder.batch', { min: 1, max: 2_048, value: 64 }, 'For `openai`: how many passages are sent at once, at the most.', {
    widens: true,
  }),
  integer('embedder.timeout', { min: 1, max: 600, value: 60 }, 'For `openai`: how many seconds an answer may take.', {
    widens: true,
  }),
  flag(
    'embedder.download',
    false,
    'For `transformers`: get a model that is not on this computer from the Hugging Face hub. `roux index --download` does so once, and shows how far it is.',
    { widens: true },
  ),
  flag(
    'ai.enabled',
    false,
    'Let `ask` put questions about your notes to a chat model. Off, nothing is loaded and no connection is opened.',
    {
      widens: true,
    },
  ),
  {
    key: 'ai.allow_remote',
    type: { kind: 'hosts' },
    default: false as boolean | readonly string[],
    sentence:
      'Which other computers models may be asked on, for chat and for `embedder.kind: openai`: none, any (`true`), or these, e.g. ["api.openai.com"]. Each also needs `roux ai allow <address>`, once. Models whose name ends in `-cloud` count as another computer.',
    widens: true,
  },
  choice('ai.provider', ['none', 'openai', 'anthropic'], 'none', {
    sentence:
      'What the chat model is asked with: `openai` is the protocol of Ollama, LM Studio, vLLM, llama.cpp, OpenRouter and OpenAI, `anthropic` that of Anthropic.',
    widens: true,
  }),
  text(
    'ai.base_url',
    'Where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1, and with `anthropic` for https://api.anthropic.com/v1.',
    { widens: true },
  ),
  text('ai.model', 'The name that the server knows the model by.', { widens: true }),
  integer(
    'ai.context',
    { min: 1_024, max: 2_000_000, value: 4_096 },
    'How many tokens the model reads, its answer included. Servers on this computer cut what is longer without a word: raise it there, too.',
    { widens: true },
  ),
  integer(
    'ai.max_tokens',
    { min: 64, max: 32_000, value: 800 },
    'How many tokens an answer of the model may have. Models that think first need some thousands.',
    { widens: true },
  ),
  integer('ai.timeout', { min: 1, max: 600, value: 120 }, 'How many seconds an answer of the model may take.', { widens: true }),
  number(
    'ai.budget',
    { min: 0, max: 1_000_000_000 },
    'Tokens a day that models may be asked, of all processes together; 0 for no bound. `auto`: 200,000 on other computers, no bound on this one, and texts that are embedded are only counted.',
    { widens: true },
  ),
  {
    ...texts(
      'ai.allow',
      'Which notes a model on a server may be shown, for chat and for `embedder.kind: openai`, as glob patterns relative to the vault, e.g. ["public/**"]; empty for all. If several files set it, a note must fit each list.',
    ),
    combines: 'every',
  },
  {
    ...texts(
      'ai.deny',
      'Which notes such a model is never shown, as glob patterns relative to the vault, in upper or lower case; they win over `ai.allow`. The lists of several files add up.',
    ),
    combines: 'any',
  },
  path(
    'ai.key_file',
    'A file that holds the key of the chat model and that only you may read (mode 0600); `ROUX_AI_API_KEY` goes before it. Only from your own settings.',
    { widens: true },
  ),
  texts(
    'ai.key_command',
    'A program that prints the key, and its arguments, e.g. ["secret-tool", "lookup", "service", "roux"], ["security", "find-generic-password", "-s", "roux", "-w"], ["pass", "roux"]. Only from your own settings.',
    { widens: true },
  ),
  texts(
    'ai.prices',
    'What `roux usage` computes costs by: model=input/output, what a million tokens cost, in a currency of your own, e.g. ["my-model=0.15/0.60"].',
    { widens: true },
  ),
  number(
    'search.weight',
    { min: 0, max: 1 },
    'What counts in `search`: 0 the words of the question alone, 1 its meaning alone; `auto` for the mix that was measured best for the model.',
  ),
  number(
    'answers.max_tokens',
    { min: 100, max: 50_000 },
    'What an answer of a tool that lists notes keeps within, in tokens of some four letters, unless a call asks for more or less with `max_tokens`; `auto` for what suits each tool, mostly 2000. Commands and the library answer in full.',
  ),
  choice('vectors.index', ['auto', 'exact', 'hnsw'], 'auto', {
    sentence:
      'How the passages nearest in meaning are found: `exact` compares all, `hnsw` follows an index that is faster in very large vaults and needs the package hnswlib-node; `auto` takes that above 100 MB of vectors (some 390,000 passages) where it is installed.',
  }),
  path('cache.path', "Folder of the index, which can always be rebuilt; empty for the user's own cache folder.", {
    widens: true,
  }),
  choice('store.type', ['embedded', 'neo4j'], 'embedded', {
    sentence:
      'What keeps the index: `embedded` files in the cache folder, `neo4j` a Neo4j database that several servers can share (docs/cluster.md).',
    widens: true,
    harmless: ['embedded'],
  }),
  text(
    'store.neo4j.url',
    'Where the database is: `bolt://host:7687` a single server, `neo4j://host:7687` a cluster; with `+s` behind `bolt` or `neo4j` over TLS.',
    { default: 'bolt://127.0.0.1:7687', widens: true },
  ),
  text(
    'store.neo4j.user',
    'Who connects. The password is read from the variable `ROUX_STORE_NEO4J_PASSWORD` or from `store.neo4j.password_file`, never from a settings file.',
    { default: 'neo4j', widens: true },
  ),
  path(
    'store.neo4j.password_file',
    'A file that holds the password and nothing else; empty for none. Only from your own settings.',
    { widens: true },
  ),
  texts(
    'store.neo4j.vaults',
    'Vaults of the database to answer for without their folders, by the names that they were fed under; nothing is written then. Empty: the vault of the folder.',
    { widens: true },
  ),
  text('store.neo4j.database', "Which database of the server; empty for its user's own.", { widens: true }),
  choice('files.case', ['auto', 'lower', 'preserve'], 'auto', {
    sentence:
      'How new notes are named: `preserve` as it was given, `lower` in lower case; `auto` keeps the spelling where the vault has a marker folder (`.obsidian`, `.foam`, `logseq`), and writes lower case elsewhere. Folders that are there, and what is moved or renamed, are spelled as they are.',
  }),
  texts(
    'write.allow',
    'Where may be written, as glob patterns relative to the vault, e.g. ["inbox/**"]; empty for everywhere. What is left out of the vault, and names that begin with a dot, are never written.',
    { widens: true },
  ),
  texts('write.deny', 'Where may not be written, as glob patterns relative to the vault; they win over `write.allow`.', {
    widens: true,
  }),
  integer('write.keep_days', { min: 1, max: 3650, value: 30 }, 'For how many days a change can be undone.', { widens: true }),
  integer(
    'write.keep_mb',
    { min: 1, max: 100_000, value: 200 },
    'How many megabytes the record of changes, of all vaults together, may take; the oldest go first.',
    { widens: true },
  ),
  text(
    'mcp.prompts_folder',
    "A folder of the vault whose notes are offered as prompts; empty for none. Placeholders such as {{topic}} are filled in for the `arguments` that a note's properties name.",
    { widens: true },
  ),
  flag(
    'http.enabled',
    false,
    'Answer at `/mcp`; `roux serve --http`, which is what listens, switches this on until the settings say anything else of it. It changes nothing over stdio.',
    { widens: true },
  ),
  text(
    'http.host',
    "The address that is listened at. Any other than this computer's own, 127.0.0.1, lets other computers connect: put a reverse proxy with TLS in front.",
    { default: '127.0.0.1', widens: true },
  ),
  integer('http.port', { min: 0, max: 65_535, value: 7583 }, 'The port that is listened at; 0 for any that is free.', {
    widens: true,
  }),
  texts(
    'http.origins',
    'Web pages that may connect from a browser, besides those of this computer, e.g. ["https://notes.example.com"].',
    { widens: true },
  ),
  texts(
    'http.hosts',
    'Names that the server is reached by, besides those of this computer, e.g. ["notes.example.com"] behind a reverse proxy.',
    { widens: true },
  ),
  texts(
    'insight.ignore',
    'What `map`, `gaps` and the other tools for the vault as a whole leave out, as glob patterns relative to the vault, e.g. ["templates/**"].',
  ),
  integer(
    'insight.keep_days',
    { min: 0, max: 3_650, value: 30 },
    'For how many days the log of what changed is kept, from which `changes_since` answers; 0 keeps none.',
    { widens: true },
  ),
  integer(
    'insight.keep_mb',
    { min: 1, max: 10_000, value: 20 },
    'How many megabytes that log, of all vaults together, may take; the oldest entries go first.',
    { widens: true },
  ),
  flag('tools.write', false, 'Offer the tools that change notes; `--write` does so for one run.', { widens: true }),
  flag('tools.attach', false, 'Offer the tools for attachments; `--write` does so for one run.', { widens: true }),
  flag('tools.insight', true, 'Offer the tools that answer for the vault as a whole, such as `map`, `gaps` and `context_pack`.', {
    widens: true,
  }),
  flag('tools.*', true, 'Offer this tool.', { widens: true }),
] as const

/** The heading of each section in files. */
export const SECTIONS: Readonly<Record<string, string>> = {
  vault: 'The folder with the notes.',
  vaults: 'The folders with the notes, where there are several.',
  links: 'How links are read.',
  tags: 'Which tags of the text count; those in properties always do.',
  embedder: 'What turns texts into vectors, so that notes are found by meaning.',
  ai: 'What a chat model may be asked, and where. Nothing leaves this computer unless `ai.allow_remote` and `roux ai allow` say so.',
  search: 'How notes are ranked.',
  answers: 'How long answers are.',
  vectors: 'How vectors are compared.',
  cache: 'What can be rebuilt.',
  store: 'What keeps the index.',
  files: 'How files are named.',
  write:
    'What may be written, and for how long it can be undone. Nothing is written unless `tools.write` or `tools.attach` is on.',
  mcp: 'What is offered to assistants beside tools.',
  insight: 'The vault as a whole: what is left out of it, and how long it is remembered what changed.',
  http: 'Serving over HTTP, with a token: see `roux token`.',
  tools: 'The tools that are offered: two groups that are off, one that is on, and every tool by name.',
}

const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]))

/** The setting that a key names, `section.*` included; `undefined` when there is none. */
export function findSetting(key: string): Setting | undefined {
  return BY_KEY.get(key) ?? (key.endsWith('.') ? undefined : BY_KEY.get(key.replace(/\.[\s\S]*/, '.*')))
}

/** True if a value must wait for `roux trust` of its file. */
export function widensTrust(key: string, value: unknown): boolean {
  const setting = findSetting(key)
  return setting?.widens === true && setting.harmless?.includes(value) !== true
}

interface Flags {
  readonly widens?: boolean
}

function path<const Key extends string>(key: Key, sentence: string, { widens = false }: Flags = {}): Setting<Key, string> {
  return { key, type: { kind: 'path' }, default: '', sentence, widens }
}

function flag<const Key extends string>(
  key: Key,
  value: boolean,
  sentence: string,
  { widens = false }: Flags = {},
): Setting<Key, boolean> {
  return { key, type: { kind: 'flag' }, default: value, sentence, widens }
}

function text<const Key extends string>(
  key: Key,
  sentence: string,
  { default: value = '', widens = false }: Flags & { readonly default?: string } = {},
): Setting<Key, string> {
  return { key, type: { kind: 'text' }, default: value, sentence, widens }
}

function integer<const Key extends string>(
  key: Key,
  { min, max, value }: { readonly min: number; readonly max: number; readonly value: number },
  sentence: string,
  { widens = false }: Flags = {},
): Setting<Key, number> {
  return { key, type: { kind: 'integer', min, max }, default: value, sentence, widens }
}

function number<const Key extends string>(
  key: Key,
  { min, max }: { readonly min: number; readonly max: number },
  sentence: string,
  { widens = false }: Flags = {},
): Setting<Key, number | 'auto'> {
  return { key, type: { kind: 'number', min, max }, default: 'auto', sentence, widens }
}

function texts<const Key extends string>(
  key: Key,
  sentence: string,
  { widens = false }: Flags = {},
): Setting<Key, readonly string[]> {
  return { key, type: { kind: 'list', of: 'text' }, default: [], sentence, widens }
}

function paths<const Key extends string>(key: Key, sentence: string, flags: Flags = {}): Setting<Key, readonly string[]> {
  return { ...texts(key, sentence, flags), type: { kind: 'list', of: 'path' } }
}

function choice<const Key extends string, const Value extends string>(
  key: Key,
  values: readonly Value[],
  value: NoInfer<Value>,
  {
    sentence,
    widens = false,
    harmless = [],
  }: Flags & { readonly sentence: string; readonly harmless?: readonly NoInfer<Value>[] },
): Setting<Key, Value> {
  return { key, type: { kind: 'choice', values }, default: value, sentence, widens, harmless }
}
