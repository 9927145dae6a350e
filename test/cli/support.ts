import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import * as z from 'zod/v4'
import type { GraphCore } from '../../src/app/graph-core.ts'
import type { Composition, Host, Out } from '../../src/cli/host.ts'
import { run } from '../../src/cli/run.ts'
import type { Diagnosis } from '../../src/compose/index.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { ExportRow, Snapshot, Store } from '../../src/core/store.ts'
import { defineTool, READS, type Tool } from '../../src/mcp/definition/define-tool.ts'
import { type FakeFile, fakeCore, fakeStore, withSnapshot } from '../support/fake-store.ts'

/** Tools that return their arguments, so the command line tests depend on no real tool. */
export const TOOLS: readonly Tool[] = [
  defineTool({
    name: 'get_node',
    title: 'Read a note',
    description: 'Reads one note.',
    annotations: READS,
    names: { id: 'note' },
    input: () => ({
      id: z.string().describe('Note.'),
      depth: z.int().min(0).max(1).default(0).describe('How far.'),
      include_content: z.boolean().default(true).describe('Show the content.'),
    }),
    wrap: 'node',
    run: async (_, args) => ({
      value: args,
      warnings: args.id === 'none' ? [{ code: 'UNKNOWN_ID', message: 'There is no "none".' }] : [],
    }),
  }),
  defineTool({
    name: 'get_hubs',
    title: 'Most linked notes',
    description: 'Ranks notes.',
    annotations: READS,
    input: () => ({
      metric: z.enum(['in_degree', 'out_degree']).default('in_degree').describe('By what.'),
      limit: z.int().min(1).max(50).default(10).describe('Maximum results.'),
    }),
    wrap: 'results',
    run: async (core, { metric, limit }) => ({
      value: (await core.store.read((snapshot) => snapshot.hubs(metric, {}, limit)))?.items ?? [],
      warnings: [],
    }),
  }),
  defineTool({
    name: 'search',
    title: 'Search',
    description: 'Searches.',
    annotations: READS,
    names: { note: 'note' },
    needsEmbedder: true,
    searchReadiness: ({ mode }) => (mode === 'keyword' ? 'words' : 'meaning'),
    input: () => ({ query: z.string(), mode: z.enum(['hybrid', 'keyword']).default('hybrid'), note: z.string().optional() }),
    wrap: 'results',
    run: async (_, args) => ({ value: args, warnings: [] }),
  }),
  defineTool({
    name: 'find_nodes',
    title: 'Find',
    description: 'Finds.',
    annotations: READS,
    searchReadiness: () => 'words',
    input: () => ({ query: z.string(), limit: z.int().default(10) }),
    wrap: 'results',
    run: async (_, args) => ({ value: args, warnings: [] }),
  }),
  defineTool({
    name: 'similar_nodes',
    title: 'Similar',
    description: 'Similar notes.',
    annotations: READS,
    names: { id: 'note' },
    needsEmbedder: true,
    searchReadiness: () => 'meaning',
    input: () => ({ id: z.string() }),
    wrap: 'results',
    run: async (_, args) => ({ value: args, warnings: [] }),
  }),
  defineTool({
    name: 'find_path',
    title: 'How two notes are connected',
    description: 'Finds a path.',
    annotations: READS,
    names: { source: 'note', target: 'note' },
    input: () => ({ source: z.string(), target: z.string(), count: z.int().default(1) }),
    wrap: 'object',
    run: async (_, args) => ({ value: args, warnings: [] }),
  }),
  defineTool({
    name: 'search_by_tags',
    title: 'Notes with tags',
    description: 'Filters by tags.',
    annotations: READS,
    input: () => ({
      tags: z.array(z.string()).min(1),
      mode: z.enum(['any', 'all']).default('any'),
      threshold: z.number().optional(),
    }),
    wrap: 'object',
    run: async (_, args) => ({ value: args, warnings: [] }),
  }),
]

/** A healthy installation. */
export const SOUND: Diagnosis = {
  sqlite: { version: '3.53.0' },
  index: { file: '/index.db', state: 'present' },
  searchIndex: { file: '/search.db', state: 'present' },
  embedder: [{ works: true, message: 'static:m:256' }],
}

export interface World {
  readonly files?: Readonly<Record<string, FakeFile>>
  /** Rows returned by `export()`. */
  readonly rows?: readonly ExportRow[]
  readonly store?: Partial<Store>
  readonly snapshot?: Partial<Snapshot>
  readonly core?: (settings: Settings) => GraphCore
  readonly composition?: Partial<Composition>
  readonly tty?: boolean
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Readable
  readonly platform?: string
  readonly program?: Host['program']
  /** Receives the listener for signals. */
  readonly onSignal?: (listener: () => void) => void
  /** Replaces the usual tools. */
  readonly tools?: readonly Tool[]
}

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs command lines in a new folder with an empty vault `vault`; `clean` removes `root`. */
export function commandLine(): {
  root: string
  write(path: string, text: string): void
  roux(args: readonly string[], world?: World): Promise<Outcome>
  clean(): void
} {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-cli-')))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('vault/a.md', '')
  return {
    root,
    write,
    clean: () => rmSync(root, { recursive: true, force: true }),
    async roux(args, world = {}) {
      const out = new Recorder(world.tty ?? false, world.columns)
      const err = new Recorder(world.tty ?? false, world.columns)
      const code = await run(args, hostOf(root, world, { out, err }))
      for (const stream of [out, err]) await new Promise<void>((resolve) => stream.end(resolve))
      return { code, out: out.text.replaceAll(root, ''), err: err.text.replaceAll(root, '') }
    },
  }
}

function hostOf(root: string, world: World, { out, err }: { out: Recorder; err: Recorder }): Host {
  const { files = {}, rows = [], env = {}, stdin = '' } = world
  const store: Store = {
    ...withSnapshot(fakeStore(files), world.snapshot ?? {}),
    async *export() {
      yield* rows
    },
    ...world.store,
  }
  return {
    cwd: join(root, 'vault'),
    platform: world.platform ?? 'linux',
    home: join(root, 'home'),
    program: world.program ?? { node: '/opt/node/bin/node', script: '/opt/roux/dist/cli/main.js' },
    env: {
      XDG_CONFIG_HOME: join(root, 'config'),
      XDG_STATE_HOME: join(root, 'state'),
      XDG_CACHE_HOME: join(root, 'cache'),
      NO_COLOR: '1',
      ...env,
    },
    stdin: typeof stdin === 'string' ? Readable.from([stdin]) : stdin,
    stdout: out as Out,
    stderr: err as Out,
    compose: async () => ({
      openCore: async (settings) =>
        world.core?.(settings) ?? fakeCore(store, { mode: 'obsidian', cache: 'disk', file: '/index.db' }),
      shareParts: () => {
        throw new Error('only the adapters can')
      },
      lockServer: () => {
        throw new Error('only the adapters can')
      },
      openFeederLease: () => {
        throw new Error('only the adapters can')
      },
      removeFed: async () => {},
      diagnose: async () => SOUND,
      openAiDesk: () => {
        throw new Error('only the adapters can')
      },
      readHistory: () => ({ changes: 0, commits: 0, unfinished: 0 }),
      forgetHistory: () => ({ changes: 0, commits: 0, unfinished: 0 }),
      measureIndexes: () => ({ index: 123_456, search: 4_200_000 }),
      ...world.composition,
    }),
    isUnlikelyVault: async (folder) => folder === join(root, 'home'),
    tools: async () => world.tools ?? TOOLS,
    onSignal: (listener) => world.onSignal?.(listener),
  }
}

class Recorder extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly columns: number | undefined

  constructor(isTTY: boolean, columns: number | undefined) {
    super({ decodeStrings: false, highWaterMark: 100 })
    this.isTTY = isTTY
    this.columns = columns
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk)
    setImmediate(done)
  }
}
