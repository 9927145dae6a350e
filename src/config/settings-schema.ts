import type { Mode } from '../core/note.ts'

/**
 * Type of a setting's value. A `path` is resolved relative to its source and may start with `~/`. A `model` is a name, or a path if
 * it starts with `./`, `../`, `~` or `/`.
 */
export type SettingType =
  | { readonly kind: 'text' | 'path' | 'model' | 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** A number or `auto`. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly of: 'text' | 'path' }
  /** No hosts, any host (`true`), or a list of host names. */
  | { readonly kind: 'hosts' }

/** Definition of a setting. It is the single source for settings files, help and error messages. */
export interface Setting<Key extends string = string, Value = unknown> {
  /** Key in the form `section.name`. `section.*` accepts any name known to the owner of the section. */
  readonly key: Key
  readonly type: SettingType
  readonly default: Value
  readonly sentence: string
  /** True if the setting requires `roux trust` in files from the vault or the working directory. Defaults to true. */
  readonly widens: boolean
  /**
   * Controls how lists from several sources are combined. Omitted if the first source wins. `any` concatenates the lists. With
   * `every`, a note must match every list.
   */
  readonly combines?: 'any' | 'every'
  /** Values that are accepted without trust, because they do not cause any data to enter or leave the machine. */
  readonly harmless?: readonly Value[]
}

type Options<Value> = Partial<Omit<Setting<string, Value>, 'key' | 'type' | 'sentence'>>

function settingOf<Value>(type: SettingType, initial: Value) {
  return <const Key extends string>(key: Key, sentence: string, options: Options<Value> = {}): Setting<Key, Value> => {
    return { key, type, default: initial, sentence, widens: true, ...options }
  }
}

const path = settingOf<string>({ kind: 'path' }, '')
const text = settingOf<string>({ kind: 'text' }, '')
const model = settingOf<string>({ kind: 'model' }, '')
const flag = settingOf<boolean>({ kind: 'flag' }, false)
const hosts = settingOf<boolean | readonly string[]>({ kind: 'hosts' }, false)
const texts = settingOf<readonly string[]>({ kind: 'list', of: 'text' }, [])
const paths = settingOf<readonly string[]>({ kind: 'list', of: 'path' }, [])

interface Bounds {
  readonly min: number
  readonly max: number
}

function integer<const Key extends string>(
  key: Key,
  sentence: string,
  { min, max, ...options }: Bounds & Options<number> & { readonly default: number },
): Setting<Key, number> {
  return settingOf({ kind: 'integer', min, max }, options.default)(key, sentence, options)
}

function number<const Key extends string>(
  key: Key,
  sentence: string,
  { min, max, ...options }: Bounds & Options<number | 'auto'>,
): Setting<Key, number | 'auto'> {
  return settingOf<number | 'auto'>({ kind: 'number', min, max }, 'auto')(key, sentence, options)
}

/** Defines a choice setting. The first value is the default. */
function choice<const Key extends string, const Value extends string>(
  key: Key,
  sentence: string,
  { values, ...options }: { readonly values: readonly [Value, ...Value[]] } & Options<NoInfer<Value>>,
): Setting<Key, Value> {
  return settingOf<Value>({ kind: 'choice', values }, values[0])(key, sentence, options)
}

/** All settings, in the order in which they are documented. */
export const SETTINGS = [
  path('vault.path', 'The folder with the notes; empty for the working directory.'),
  path(
    'vaults.*',
    'Several vaults in one server: a name of your own each, and its folder. Ids then begin with the name, as in `work:projects/garden.md`; they are asked together instead of `vault.path`, unless one is named with `--vault`.',
  ),
  choice('vault.mode', 'What kind of vault it is; `auto` goes by its marker folder, and without one by how its notes link.', {
    values: ['auto', 'obsidian', 'foam', 'logseq', 'docs'] satisfies readonly ['auto', ...Mode[]],
    widens: false,
  }),
  choice(
    'vault.watch',
    'How a server notices changes: `auto` by events of the file system, `polling` for network drives, `off` not at all.',
    { values: ['auto', 'polling', 'off'], widens: false },
  ),
  texts(
    'vault.ignore',
    'Files and folders to leave out, as glob patterns relative to the vault, besides names that begin with a dot and `node_modules`.',
    { widens: false },
  ),
  flag('vault.gitignore', 'Leave out what `.gitignore` files leave out.', { widens: false }),
  paths('vault.link_roots', 'Folders outside the vault that symbolic links in it may lead to.'),
  choice(
    'links.profile',
    'How links find their notes: `obsidian` to the letter of that application, `lenient` also by aliases and folders.',
    { values: ['lenient', 'obsidian'], widens: false },
  ),
  flag('links.comments', 'Count links and tags inside `%% comments %%`.', { default: true, widens: false }),
  flag('tags.link_text', 'Count `#3rd` in the text of a link as a tag: `[Report #3rd](report.md)`.', {
    default: true,
    widens: false,
  }),
  flag('tags.colors', 'Count what may be a colour as a tag: `#` and three to eight hexadecimal digits, such as `#fff`.', {
    default: true,
    widens: false,
  }),
  choice(
    'embedder.kind',
    'What finds notes by meaning: `static` is built in and needs nothing, `transformers` runs a larger model on this computer, `openai` asks a server that speaks that protocol (Ollama, LM Studio, vLLM, OpenAI), `none` leaves finding to words alone.',
    { values: ['static', 'transformers', 'openai', 'none'], harmless: ['static', 'none'] },
  ),
  model(
    'embedder.model',
    'Which model. For `transformers` an id of the Hugging Face hub, or a folder written as `./…`, `~/…` or a full path; empty for Xenova/all-MiniLM-L6-v2. For `openai` the name that the server knows it by.',
  ),
  text(
    'embedder.base_url',
    'For `openai`: where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1. If it wants a key, put that into the variable `ROUX_EMBEDDER_API_KEY`, never into a file.',
  ),
  integer(
    'embedder.dimensions',
    'How many numbers describe a passage; 0 for as many as the model makes. With `static`, and with servers that can shorten them, fewer are faster and less exact.',
    { min: 0, max: 4096, default: 0 },
  ),
  text(
    'embedder.query_prefix',
    'What the model wants in front of every question; `auto` for what is known of it by its name, empty for nothing.',
    { default: 'auto' },
  ),
  text(
    'embedder.passage_prefix',
    'What the model wants in front of every passage; `auto` for what is known of it by its name, empty for nothing.',
    { default: 'auto' },
  ),
  integer(
    'embedder.max_tokens',
    'How much of a passage the model reads, in tokens of some four letters; 0 for as much as it is known to take. `static` reads all.',
    { min: 0, max: 100_000, default: 0 },
  ),
  integer('embedder.batch', 'For `openai`: how many passages are sent at once, at the most.', {
    min: 1,
    max: 2_048,
    default: 64,
  }),
  integer('embedder.timeout', 'For `openai`: how many seconds an answer may take.', { min: 1, max: 600, default: 60 }),
  flag(
    'embedder.download',
    'For `transformers`: get a model that is not on this computer from the Hugging Face hub. `roux index --download` does so once, and shows how far it is.',
  ),
  flag(
    'ai.enabled',
    'Let `ask` put questions about your notes to a chat model. Off, nothing is loaded and no connection is opened.',
  ),
  hosts(
    'ai.allow_remote',
    'Which other computers models may be asked on, for chat and for `embedder.kind: openai`: none, any (`true`), or these, e.g. ["api.openai.com"]. Each also needs `roux ai allow <address>`, once. Models whose name ends in `-cloud` count as another computer.',
  ),
  choice(
    'ai.provider',
    'What the chat model is asked with: `openai` is the protocol of Ollama, LM Studio, vLLM, llama.cpp, OpenRouter and OpenAI, `anthropic` that of Anthropic.',
    { values: ['none', 'openai', 'anthropic'] },
  ),
  text(
    'ai.base_url',
    'Where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1, and with `anthropic` for https://api.anthropic.com/v1.',
  ),
  text('ai.model', 'The name that the server knows the model by.'),
  integer(
    'ai.context',
    'How many tokens the model reads, its answer included. Servers on this computer cut what is longer without a word: raise it there, too.',
    { min: 1_024, max: 2_000_000, default: 4_096 },
  ),
  integer('ai.max_tokens', 'How many tokens an answer of the model may have. Models that think first need some thousands.', {
    min: 64,
    max: 32_000,
    default: 800,
  }),
  integer('ai.timeout', 'How many seconds an answer of the model may take.', { min: 1, max: 600, default: 120 }),
  number(
    'ai.budget',
    'Tokens a day that models may be asked, of all processes together; 0 for no bound. `auto`: 200,000 on other computers, no bound on this one, and texts that are embedded are only counted.',
    { min: 0, max: 1_000_000_000 },
  ),
  texts(
    'ai.allow',
    'Which notes a model on a server may be shown, for chat and for `embedder.kind: openai`, as glob patterns relative to the vault, e.g. ["public/**"]; empty for all. If several files set it, a note must fit each list.',
    { combines: 'every', widens: false },
  ),
  texts(
    'ai.deny',
    'Which notes such a model is never shown, as glob patterns relative to the vault, in upper or lower case; they win over `ai.allow`. The lists of several files add up.',
    { combines: 'any', widens: false },
  ),
  path(
    'ai.key_file',
    'A file that holds the key of the chat model and that only you may read (mode 0600); `ROUX_AI_API_KEY` goes before it. Only from your own settings.',
  ),
  texts(
    'ai.key_command',
    'A program that prints the key, and its arguments, e.g. ["secret-tool", "lookup", "service", "roux"], ["security", "find-generic-password", "-s", "roux", "-w"], ["pass", "roux"]. Only from your own settings.',
  ),
  texts(
    'ai.prices',
    'What `roux usage` computes costs by: model=input/output, what a million tokens cost, in a currency of your own, e.g. ["my-model=0.15/0.60"].',
  ),
  number(
    'search.weight',
    'What counts in `search`: 0 the words of the question alone, 1 its meaning alone; `auto` for the mix that was measured best for the model.',
    { min: 0, max: 1, widens: false },
  ),
  number(
    'answers.max_tokens',
    'What an answer of a tool that lists notes keeps within, in tokens of some four letters, unless a call asks for more or less with `max_tokens`; `auto` for what suits each tool, mostly 2000. Commands and the library answer in full.',
    { min: 100, max: 50_000, widens: false },
  ),
  choice(
    'vectors.index',
    'How the passages nearest in meaning are found: `exact` compares all, `hnsw` follows an index that is faster in very large vaults and needs the package hnswlib-node; `auto` takes that above 100 MB of vectors (some 390,000 passages) where it is installed.',
    { values: ['auto', 'exact', 'hnsw'], widens: false },
  ),
  path('cache.path', "Folder of the index, which can always be rebuilt; empty for the user's own cache folder."),
  choice(
    'store.type',
    'What keeps the index: `embedded` files in the cache folder, `neo4j` a Neo4j database that several servers can share (docs/cluster.md).',
    { values: ['embedded', 'neo4j'], harmless: ['embedded'] },
  ),
  text(
    'store.neo4j.url',
    'Where the database is: `bolt://host:7687` a single server, `neo4j://host:7687` a cluster; with `+s` behind `bolt` or `neo4j` over TLS.',
    { default: 'bolt://127.0.0.1:7687' },
  ),
  text(
    'store.neo4j.user',
    'Who connects. The password is read from the variable `ROUX_STORE_NEO4J_PASSWORD` or from `store.neo4j.password_file`, never from a settings file.',
    { default: 'neo4j' },
  ),
  path(
    'store.neo4j.password_file',
    'A file that holds the password and nothing else; empty for none. Only from your own settings.',
  ),
  texts(
    'store.neo4j.vaults',
    'Vaults of the database to answer for without their folders, by the names that they were fed under; nothing is written then. Empty: the vault of the folder.',
  ),
  text('store.neo4j.database', "Which database of the server; empty for its user's own."),
  choice(
    'files.case',
    'How new notes are named: `preserve` as it was given, `lower` in lower case; `auto` keeps the spelling where the vault has a marker folder (`.obsidian`, `.foam`, `logseq`), and writes lower case elsewhere. Folders that are there, and what is moved or renamed, are spelled as they are.',
    { values: ['auto', 'lower', 'preserve'], widens: false },
  ),
  texts(
    'write.allow',
    'Where may be written, as glob patterns relative to the vault, e.g. ["inbox/**"]; empty for everywhere. What is left out of the vault, and names that begin with a dot, are never written.',
  ),
  texts('write.deny', 'Where may not be written, as glob patterns relative to the vault; they win over `write.allow`.'),
  integer('write.keep_days', 'For how many days a change can be undone.', { min: 1, max: 3650, default: 30 }),
  integer('write.keep_mb', 'How many megabytes the record of changes, of all vaults together, may take; the oldest go first.', {
    min: 1,
    max: 100_000,
    default: 200,
  }),
  text(
    'mcp.prompts_folder',
    "A folder of the vault whose notes are offered as prompts; empty for none. Placeholders such as {{topic}} are filled in for the `arguments` that a note's properties name.",
  ),
  flag(
    'http.enabled',
    'Answer at `/mcp`; `roux serve --http`, which is what listens, switches this on until the settings say anything else of it. It changes nothing over stdio.',
  ),
  text(
    'http.host',
    "The address that is listened at. Any other than this computer's own, 127.0.0.1, lets other computers connect: put a reverse proxy with TLS in front.",
    { default: '127.0.0.1' },
  ),
  integer('http.port', 'The port that is listened at; 0 for any that is free.', { min: 0, max: 65_535, default: 7583 }),
  texts(
    'http.origins',
    'Web pages that may connect from a browser, besides those of this computer, e.g. ["https://notes.example.com"].',
  ),
  texts(
    'http.hosts',
    'Names that the server is reached by, besides those of this computer, e.g. ["notes.example.com"] behind a reverse proxy.',
  ),
  texts(
    'insight.ignore',
    'What `map`, `gaps` and the other tools for the vault as a whole leave out, as glob patterns relative to the vault, e.g. ["templates/**"].',
    { widens: false },
  ),
  integer(
    'insight.keep_days',
    'For how many days the log of what changed is kept, from which `changes_since` answers; 0 keeps none.',
    { min: 0, max: 3_650, default: 30 },
  ),
  integer('insight.keep_mb', 'How many megabytes that log, of all vaults together, may take; the oldest entries go first.', {
    min: 1,
    max: 10_000,
    default: 20,
  }),
  flag('tools.write', 'Offer the tools that change notes; `--write` does so for one run.'),
  flag('tools.attach', 'Offer the tools for attachments; `--write` does so for one run.'),
  flag('tools.insight', 'Offer the tools that answer for the vault as a whole, such as `map`, `gaps` and `context_pack`.', {
    default: true,
  }),
  flag('tools.*', 'Offer this tool.', { default: true }),
] as const

/** Section headings in settings files. */
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

/** Looks up the setting for a key, including `section.*`. Returns `undefined` if there is none. */
export function findSetting(key: string): Setting | undefined {
  return BY_KEY.get(key) ?? (key.endsWith('.') ? undefined : BY_KEY.get(key.replace(/\.[\s\S]*/, '.*')))
}

/** Checks whether a value only takes effect after `roux trust` for its file. */
export function widensTrust(key: string, value: unknown): boolean {
  const setting = findSetting(key)
  return setting?.widens === true && setting.harmless?.includes(value) !== true
}
