import { LANGUAGES } from '../core/languages.ts'
import type { Mode } from '../core/note.ts'

/**
 * The type of a setting. A `path` is relative to its source and may start with `~/`. A `model` is a name, or a path if it starts
 * with `./`, `../`, `~` or `/`.
 */
export type SettingType =
  | { readonly kind: 'text' | 'path' | 'model' | 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** A number or `auto`. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly of: 'text' | 'path' }
  /** `auto`, or some of the values. */
  | { readonly kind: 'some'; readonly values: readonly string[] }
  /** No hosts, any host (`true`), or a list of host names. */
  | { readonly kind: 'hosts' }

/** The definition of a setting, from which settings files, help and error messages are generated. */
export interface Setting<Key extends string = string, Value = unknown> {
  /** The key `section.name`. `section.*` stands for arbitrary names, which are checked later. */
  readonly key: Key
  readonly type: SettingType
  readonly default: Value
  readonly sentence: string
  /** If true, files found in the vault or the working directory need `roux trust` to set the value. The default is true. */
  readonly widensTrust: boolean
  /**
   * How lists from several sources combine. If omitted, the first list wins. `any` concatenates the lists. With `every`, a note
   * must match every list.
   */
  readonly combines?: 'any' | 'every'
  /** Values that require no trust, because no data enters or leaves the machine. */
  readonly harmless?: readonly Value[]
}

type Options<Value> = Partial<Omit<Setting<string, Value>, 'key' | 'type' | 'sentence'>>

function settingOf<Value>(type: SettingType, initial: Value) {
  return <const Key extends string>(key: Key, sentence: string, options: Options<Value> = {}): Setting<Key, Value> => {
    return { key, type, default: initial, sentence, widensTrust: true, ...options }
  }
}

const path = settingOf<string>({ kind: 'path' }, '')
const text = settingOf<string>({ kind: 'text' }, '')
const model = settingOf<string>({ kind: 'model' }, '')
const flag = settingOf<boolean>({ kind: 'flag' }, false)
const hosts = settingOf<boolean | readonly string[]>({ kind: 'hosts' }, false)
const languages = settingOf<'auto' | readonly string[]>({ kind: 'some', values: LANGUAGES }, 'auto')
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

function choice<const Key extends string, const Value extends string>(
  key: Key,
  sentence: string,
  { values, ...options }: { readonly values: readonly [Value, ...Value[]] } & Options<NoInfer<Value>>,
): Setting<Key, Value> {
  return settingOf<Value>({ kind: 'choice', values }, values[0])(key, sentence, options)
}

export const SETTINGS = [
  path('vault.path', 'The folder that contains the notes; empty for the working directory.'),
  path(
    'vaults.*',
    'Serves several vaults at once. Give each folder a name; note ids then start with that name, as in `work:projects/garden.md`. These vaults replace `vault.path`, unless you select one with `--vault`.',
  ),
  choice(
    'vault.mode',
    'The kind of vault. `auto` looks for a marker folder such as `.obsidian`; if there is none, the way notes link to each other decides.',
    {
      values: ['auto', 'obsidian', 'foam', 'logseq', 'docs'] satisfies readonly ['auto', ...Mode[]],
      widensTrust: false,
    },
  ),
  choice(
    'vault.watch',
    'How a server notices changes: `auto` uses file system events, `polling` suits network drives, `off` does not watch.',
    { values: ['auto', 'polling', 'off'], widensTrust: false },
  ),
  texts(
    'vault.ignore',
    'Files and folders to exclude, as glob patterns relative to the vault. Names that start with a dot and `node_modules` are always excluded.',
    { widensTrust: false },
  ),
  flag('vault.gitignore', 'Exclude files that are ignored by `.gitignore`.', { widensTrust: false }),
  paths('vault.link_roots', 'Folders outside the vault that symbolic links in the vault may point to.'),
  choice('links.profile', 'How links are resolved: `obsidian` exactly as in that app, `lenient` also by alias and folder.', {
    values: ['lenient', 'obsidian'],
    widensTrust: false,
  }),
  flag('links.comments', 'Include links and tags inside `%% comments %%`.', { default: true, widensTrust: false }),
  flag('tags.link_text', 'Treat `#3rd` in link text as a tag: `[Report #3rd](report.md)`.', {
    default: true,
    widensTrust: false,
  }),
  flag(
    'tags.colors',
    'Treat text that may be a color as a tag: `#` followed by three to eight hexadecimal digits, such as `#fff`.',
    {
      default: true,
      widensTrust: false,
    },
  ),
  choice(
    'embedder.kind',
    'The model for search by meaning: `static` is built in, `transformers` runs a larger model on this computer, `openai` calls a server with the OpenAI API (Ollama, LM Studio, vLLM, OpenAI), `none` searches by words only.',
    { values: ['static', 'transformers', 'openai', 'none'], harmless: ['static', 'none'] },
  ),
  model(
    'embedder.model',
    "The model's name. For `transformers`: a Hugging Face id, or a folder (`./…`, `~/…` or a full path); empty for Xenova/all-MiniLM-L6-v2. For `openai`: the name used by the server.",
  ),
  text(
    'embedder.base_url',
    'For `openai`: the base URL of the API; empty for Ollama on this computer, http://127.0.0.1:11434/v1. If the server needs an API key, put it in the variable `ROUX_EMBEDDER_API_KEY`, never in a file.',
  ),
  choice(
    'embedder.languages',
    'For `static`: `auto` supports many languages and compares text across them; `english` supports only English and uses less memory.',
    { values: ['auto', 'english'], widensTrust: false },
  ),
  integer(
    'embedder.dimensions',
    "The number of dimensions of a vector; 0 for the model's default. Shorter vectors are faster but less accurate. They are supported by `static` (whose two tables provide half of the dimensions each) and by servers that can shorten vectors.",
    { min: 0, max: 4096, default: 0 },
  ),
  text(
    'embedder.query_prefix',
    'Text to put before every question; `auto` for the prefix that the model is known to require, empty for none.',
    { default: 'auto' },
  ),
  text(
    'embedder.passage_prefix',
    'Text to put before every passage; `auto` for the prefix that the model is known to require, empty for none.',
    { default: 'auto' },
  ),
  integer(
    'embedder.max_tokens',
    "The maximum length of a passage in tokens (about four letters each); 0 for the model's known limit. `static` has no limit.",
    { min: 0, max: 100_000, default: 0 },
  ),
  integer('embedder.batch', 'For `openai`: the maximum number of passages in one request.', {
    min: 1,
    max: 2_048,
    default: 64,
  }),
  integer('embedder.timeout', 'For `openai`: the request timeout in seconds.', { min: 1, max: 600, default: 60 }),
  flag(
    'embedder.download',
    'For `transformers`: download the model from Hugging Face if it is missing. `roux index --download` does this once and shows the progress.',
  ),
  flag(
    'ai.enabled',
    'Let `ask` send questions about your notes to a chat model. If off, nothing is loaded and no connection is opened.',
  ),
  hosts(
    'ai.allow_remote',
    'Other computers that may run models, for chat and for `embedder.kind: openai`: none, any (`true`), or a list, e.g. ["api.openai.com"]. Also run `roux ai allow <address>` once for each. A model whose name ends in `-cloud` counts as another computer.',
  ),
  choice(
    'ai.provider',
    'The API of the chat model: `openai` for Ollama, LM Studio, vLLM, llama.cpp, OpenRouter and OpenAI; `anthropic` for Anthropic.',
    { values: ['none', 'openai', 'anthropic'] },
  ),
  text(
    'ai.base_url',
    'The base URL of the API. Empty means Ollama on this computer, http://127.0.0.1:11434/v1, or https://api.anthropic.com/v1 with `anthropic`.',
  ),
  text('ai.model', "The model's name on the server."),
  integer(
    'ai.context',
    "The model's context length in tokens, including its answer. Local servers silently truncate longer input, so set the same length there.",
    { min: 1_024, max: 2_000_000, default: 4_096 },
  ),
  integer('ai.max_tokens', "The maximum length of the model's answer in tokens. Reasoning models need several thousand.", {
    min: 64,
    max: 32_000,
    default: 800,
  }),
  integer('ai.timeout', 'The timeout for a request to the model, in seconds.', { min: 1, max: 600, default: 120 }),
  number(
    'ai.budget',
    'Daily token limit for all processes combined; 0 for no limit. `auto` allows 200,000 tokens a day for chat models on other computers and does not limit models on this computer or embedding.',
    { min: 0, max: 1_000_000_000 },
  ),
  texts(
    'ai.allow',
    'Notes that may be sent to a model on a server, for chat and for `embedder.kind: openai`, as glob patterns relative to the vault, e.g. ["public/**"]; empty for all. If several files set this, a note must match every list.',
    { combines: 'every', widensTrust: false },
  ),
  texts(
    'ai.deny',
    'Notes that are never sent to such a model, as glob patterns relative to the vault. Case does not matter. These patterns take precedence over `ai.allow`, and lists from several files are combined.',
    { combines: 'any', widensTrust: false },
  ),
  path(
    'ai.key_file',
    "A file with the chat model's API key, readable only by you (mode 0600). `ROUX_AI_API_KEY` takes precedence. Only your own settings may set this.",
  ),
  texts(
    'ai.key_command',
    'A command that prints the API key, with its arguments, e.g. ["secret-tool", "lookup", "service", "roux"], ["security", "find-generic-password", "-s", "roux", "-w"], ["pass", "roux"]. Only your own settings may set this.',
  ),
  texts(
    'ai.prices',
    'Prices for `roux usage`, in the form model=input/output, per million tokens in your currency, e.g. ["my-model=0.15/0.60"].',
  ),
  number(
    'search.weight',
    'The weight of meaning in `search`: 0 uses only words, 1 only meaning, `auto` the mix that performed best for the model in our benchmarks.',
    { min: 0, max: 1, widensTrust: false },
  ),
  languages(
    'search.languages',
    'The languages of the notes and questions, such as [en, de]. Short texts are then assumed to be in one of these languages. `auto` distinguishes all languages. Changing this setting causes all notes to be read again.',
    { widensTrust: false },
  ),
  number(
    'answers.max_tokens',
    "The token budget for answers that list notes (a token is about four letters). A call can override it with `max_tokens`. `auto` uses each tool's default, usually 2000. Commands and the library have no budget.",
    { min: 100, max: 50_000, widensTrust: false },
  ),
  choice(
    'vectors.index',
    'How the nearest passages are found: `exact` compares all of them, `hnsw` uses an approximate index that is faster in very large vaults and needs the package hnswlib-node. `auto` uses it above 100 MB of vectors (about 390,000 passages) if it is installed.',
    { values: ['auto', 'exact', 'hnsw'], widensTrust: false },
  ),
  path('cache.path', "The folder for the index, which can always be rebuilt; empty for the user's cache folder."),
  choice(
    'store.type',
    'Where the index is stored: `embedded` uses files in the cache folder, `neo4j` a Neo4j database that several servers can share (docs/cluster.md).',
    { values: ['embedded', 'neo4j'], harmless: ['embedded'] },
  ),
  text(
    'store.neo4j.url',
    'The address of the database: `bolt://host:7687` for a single server, `neo4j://host:7687` for a cluster. Use `bolt+s` or `neo4j+s` for TLS.',
    { default: 'bolt://127.0.0.1:7687' },
  ),
  text(
    'store.neo4j.user',
    'The database user. The password is read from the variable `ROUX_STORE_NEO4J_PASSWORD` or from `store.neo4j.password_file`, never from a settings file.',
    { default: 'neo4j' },
  ),
  path(
    'store.neo4j.password_file',
    'A file that contains only the password; empty for none. Only your own settings may set this.',
  ),
  texts(
    'store.neo4j.vaults',
    'Names of vaults in the database to serve read-only, without their folders. If empty, the vault in the folder is served.',
  ),
  text('store.neo4j.database', "The database on the server; empty for the user's default."),
  choice(
    'files.case',
    'The spelling of new file names: `preserve` keeps the given case, `lower` uses lower case. `auto` keeps the case if the vault has a marker folder (`.obsidian`, `.foam`, `logseq`) or if the paths of most notes contain capital letters. Otherwise it uses lower case, and the answer says so. Existing folders, and files that are moved or renamed, keep their case.',
    { values: ['auto', 'lower', 'preserve'], widensTrust: false },
  ),
  texts(
    'write.allow',
    'Files that may be written, as glob patterns relative to the vault, e.g. ["inbox/**"]; empty for all. Excluded files and names that start with a dot are never written.',
  ),
  texts(
    'write.deny',
    'Files that may not be written, as glob patterns relative to the vault. They take precedence over `write.allow`.',
  ),
  integer('write.keep_days', 'How many days a change can be undone.', { min: 1, max: 3650, default: 30 }),
  integer(
    'write.keep_mb',
    'The maximum size of the record of changes for all vaults, in megabytes. The oldest changes are deleted first.',
    {
      min: 1,
      max: 100_000,
      default: 200,
    },
  ),
  text(
    'mcp.prompts_folder',
    "A folder in the vault whose notes are offered as prompts; empty for none. A note's `arguments` property lists its placeholders, such as {{topic}}.",
  ),
  flag(
    'mcp.connector_tools',
    "Offer `search` and `fetch` in the form that ChatGPT's connectors require for deep research and company knowledge. The full search is then called `search_notes`.",
    { widensTrust: false },
  ),
  choice(
    'serve.shared',
    'Whether assistants and commands share one server in the background (`auto`), or each process works alone (`off`). `--alone` does so for one run.',
    { values: ['auto', 'off'], harmless: ['off'] },
  ),
  integer(
    'serve.keep_minutes',
    'How many minutes the shared server waits for a new connection after the last one has closed; 0 to exit immediately.',
    {
      min: 0,
      max: 1440,
      default: 10,
    },
  ),
  flag(
    'http.enabled',
    'Answer HTTP requests at `/mcp`. `roux serve --http` turns this on unless the settings turn it off. It has no effect on stdio.',
  ),
  text(
    'http.host',
    'The address to listen on. Any address other than 127.0.0.1 lets other computers connect; put a reverse proxy with TLS in front.',
    { default: '127.0.0.1' },
  ),
  integer('http.port', 'The port to listen on; 0 for any free port.', { min: 0, max: 65_535, default: 7583 }),
  texts(
    'http.origins',
    'Origins of web pages that may connect, in addition to those on this computer, e.g. ["https://notes.example.com"].',
  ),
  texts(
    'http.hosts',
    'Host names that the server accepts, in addition to those of this computer, e.g. ["notes.example.com"] behind a reverse proxy.',
  ),
  text(
    'http.public_url',
    'The https address at which hosted assistants reach this server through a tunnel or a reverse proxy, e.g. https://notes.example.com. It enables sign-in; run `roux connect` to let one assistant sign in. The host name need not be listed in `http.hosts`.',
  ),
  texts(
    'http.clients',
    "Hosts to which a sign-in at `http.public_url` may return. `loopback` stands for programs on the browser's computer.",
    { default: ['claude.ai', 'chatgpt.com', 'vscode.dev', 'www.cursor.com', 'loopback'] },
  ),
  texts(
    'insight.ignore',
    'Notes that `map`, `gaps` and the other whole-vault tools ignore, as glob patterns relative to the vault, e.g. ["templates/**"].',
    { widensTrust: false },
  ),
  integer('insight.keep_days', 'How many days the change log, which `changes_since` reads, is kept; 0 for no log.', {
    min: 0,
    max: 3_650,
    default: 30,
  }),
  integer(
    'insight.keep_mb',
    'The maximum size of the change log for all vaults, in megabytes. The oldest entries are deleted first.',
    {
      min: 1,
      max: 10_000,
      default: 20,
    },
  ),
  flag('tools.write', 'Offer the tools that change notes. `--write` turns this on for one run.'),
  flag('tools.attach', 'Offer the tools for attachments. `--write` turns this on for one run.'),
  flag('tools.insight', 'Offer the tools that analyze the whole vault, such as `map`, `gaps` and `context_pack`.', {
    default: true,
  }),
  choice(
    'tools.profile',
    'Which reading tools an assistant is offered: `full` for all of them, `core` for the ten most useful, which takes half as many tokens. Tools set to true with `tools.<name>` are added. Commands, the page and the library always have all reading tools.',
    { values: ['full', 'core'], harmless: ['core'] },
  ),
  flag('tools.*', 'Offer this tool.', { default: true }),
] as const

export const SECTIONS: Readonly<Record<string, string>> = {
  vault: 'The folder that contains the notes.',
  vaults: 'Several folders that contain notes.',
  links: 'How links are interpreted.',
  tags: 'Which text counts as a tag. Tags in properties always count.',
  embedder: 'The model that turns text into vectors for search by meaning.',
  ai: 'The chat model and what it may see. Nothing leaves this computer unless `ai.allow_remote` and `roux ai allow` permit it.',
  search: 'How notes are found and ranked.',
  answers: 'How long answers may be.',
  vectors: 'How vectors are compared.',
  cache: 'Where the index is kept.',
  store: 'The database that stores the index.',
  files: 'How files are named.',
  write: 'What may be written, and how long it can be undone. Nothing is written unless `tools.write` or `tools.attach` is on.',
  mcp: 'Prompts and tools for assistants.',
  insight: 'Whole-vault tools: what they ignore, and how long the change log is kept.',
  serve: 'The background server that assistants and commands share.',
  http: 'Serving over HTTP, with a token: see `roux token`.',
  tools: 'Which tools to offer: three groups, and each tool by name.',
}

const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]))

/** Looks up the setting for a key, including `section.*`. Returns `undefined` if there is none. */
export function findSetting(key: string): Setting | undefined {
  return BY_KEY.get(key) ?? (key.endsWith('.') ? undefined : BY_KEY.get(key.replace(/\.[\s\S]*/, '.*')))
}

/** Returns true if the value requires `roux trust`. */
export function widensTrust(key: string, value: unknown): boolean {
  const setting = findSetting(key)
  return setting?.widensTrust === true && setting.harmless?.includes(value) !== true
}
