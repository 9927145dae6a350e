import type { Mode } from '../core/note.ts'

/** What a value must be. `path` is a text that is made absolute against the place it was given at; `~/` is understood. */
export type SettingType =
  | { readonly kind: 'text' | 'path' | 'flag' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  /** A number, or `auto`. */
  | { readonly kind: 'number'; readonly min: number; readonly max: number }
  | { readonly kind: 'list'; readonly of: 'text' | 'path' }

/** One setting: everything that is said about it, in files, in help and in errors, is said here. */
export interface Setting<Key extends string = string, Value = unknown> {
  /** `section.name`; `section.*` stands for any name that the section's owner knows. */
  readonly key: Key
  readonly type: SettingType
  readonly default: Value
  readonly sentence: string
  /** Not taken from a file in the vault or the working directory before `roux trust` was said for it. */
  readonly widens: boolean
}

/** Every setting that has an effect, in the order in which people read them. */
export const SETTINGS = [
  path('vault.path', 'The folder with the notes; empty for the working directory.', { widens: true }),
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
  flag('tags.link_text', true, 'Count tags in the text of Markdown links: `[Report #3rd](report.md)`.'),
  flag('tags.colors', true, 'Count tags that may be colours: `#` and three to eight hexadecimal digits.'),
  choice('embedder.kind', ['static', 'transformers', 'openai', 'none'], 'static', {
    sentence:
      'What finds notes by meaning: `static` is built in, `transformers` runs a model on this machine, `openai` asks a server that speaks that protocol (Ollama, LM Studio, vLLM, OpenAI), `none` leaves it off.',
    widens: true,
  }),
  text(
    'embedder.model',
    'The model: for `transformers` an id of the Hugging Face hub or a folder, for `openai` its name at the server.',
    {
      widens: true,
    },
  ),
  text(
    'embedder.base_url',
    'For `openai`: where the API begins, e.g. `http://127.0.0.1:11434/v1`. A key is read from `ROUX_EMBEDDER_API_KEY` only.',
    {
      widens: true,
    },
  ),
  integer('embedder.dimensions', { min: 0, max: 4096, value: 0 }, 'Length of the vectors; 0 for what the model gives.', {
    widens: true,
  }),
  text('embedder.query_prefix', 'Put in front of every question; empty for what the model is known to want.', { widens: true }),
  text('embedder.passage_prefix', 'Put in front of every text; empty for what the model is known to want.', { widens: true }),
  integer(
    'embedder.max_tokens',
    { min: 0, max: 100_000, value: 0 },
    'How much of a text is read; 0 for what the model is known to take.',
    {
      widens: true,
    },
  ),
  integer('embedder.batch', { min: 1, max: 2_048, value: 64 }, 'For `openai`: texts sent in one request at the most.', {
    widens: true,
  }),
  integer('embedder.timeout', { min: 1, max: 600, value: 60 }, 'For `openai`: seconds that one request may take.', {
    widens: true,
  }),
  flag('embedder.download', false, 'For `transformers`: whether a model that is not there may be downloaded.', { widens: true }),
  number(
    'search.weight',
    { min: 0, max: 1 },
    'How much meaning counts against words in `search`; `auto` for what was measured for the model and fits the question.',
  ),
  choice('vectors.index', ['auto', 'exact', 'hnsw'], 'auto', {
    sentence:
      'How vectors are compared: `exact` with all of them, `hnsw` with an index that must be built; `auto` takes that above 50,000 vectors where it is installed.',
  }),
  path('cache.path', "Folder of the index, which can always be rebuilt; empty for the user's own cache folder.", {
    widens: true,
  }),
  flag('tools.*', true, 'Offer this tool.', { widens: true }),
] as const

/** What a section is about, for its heading in files. */
export const SECTIONS: Readonly<Record<string, string>> = {
  vault: 'The folder with the notes.',
  links: 'How links are read.',
  tags: 'Which tags of the text count; those in properties always do.',
  embedder: 'What turns texts into vectors, so that notes are found by meaning.',
  search: 'How notes are ranked.',
  vectors: 'How vectors are compared.',
  cache: 'What can be rebuilt.',
  tools: 'The tools that are offered, by name.',
}

const BY_KEY: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((setting) => [setting.key, setting]))

/** The setting that a key names, `section.*` included; `undefined` when there is none. */
export function findSetting(key: string): Setting | undefined {
  return BY_KEY.get(key) ?? (key.endsWith('.') ? undefined : BY_KEY.get(key.replace(/\..*$/, '.*')))
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

function text<const Key extends string>(key: Key, sentence: string, { widens = false }: Flags = {}): Setting<Key, string> {
  return { key, type: { kind: 'text' }, default: '', sentence, widens }
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
): Setting<Key, number | 'auto'> {
  return { key, type: { kind: 'number', min, max }, default: 'auto', sentence, widens: false }
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
  { sentence, widens = false }: Flags & { readonly sentence: string },
): Setting<Key, Value> {
  return { key, type: { kind: 'choice', values }, default: value, sentence, widens }
}
