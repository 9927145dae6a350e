/** What may import what, as docs/architecture.md draws it. */
export interface Rules {
  /** The folders and files of the root that each folder, or file of the root, may import; itself is understood. */
  readonly arrows: Readonly<Record<string, readonly string[]>>
  /** Single arrows beside those: from one file to others. */
  readonly fileArrows: Readonly<Record<string, readonly string[]>>
  /** Who may import a package, or a file outside of `src/`. */
  readonly packages: Readonly<Record<string, readonly string[]>>
  /** Who may import a module of Node; those that are not here, anyone may. */
  readonly builtIns: Readonly<Record<string, readonly string[]>>
  /** Packages that are not imported but loaded when they are needed: naming one in quotes is importing it. */
  readonly loaded: readonly string[]
}

const PURE = ['markdown', 'links', 'graph', 'search']
const ADAPTERS = ['changes', 'config', 'embed', 'indexing', 'outbound', 'store', 'vault']
const ON_DISK = ['changes', 'cli', 'config', 'embed', 'outbound', 'store', 'vault', 'workers', 'compose']

export const RULES: Rules = {
  arrows: {
    core: [],
    markdown: ['core'],
    links: ['core'],
    graph: ['core'],
    search: ['core'],
    insight: ['core', ...PURE],
    ai: ['core', 'markdown', 'search'],
    outbound: ['core'],
    embed: ['core', 'outbound'],
    vault: ['core'],
    config: ['core'],
    install: ['core'],
    changes: ['core', 'markdown', 'links'],
    indexing: ['core', ...PURE],
    store: ['core', 'graph', 'search'],
    app: ['core', ...PURE, 'insight', 'ai'],
    mcp: ['core', 'app'],
    http: ['core', 'mcp'],
    web: ['core', 'app', 'mcp', 'http'],
    // What runs in a browser: of the program it knows only what answers look like.
    'web/client': ['core', 'app'],
    cli: ['core', 'app', 'mcp', 'http', 'web', 'config', 'install', 'compose'],
    workers: ['core', ...PURE, 'insight', ...ADAPTERS],
    compose: ['core', 'app', ...ADAPTERS, 'workers'],
    library: ['core', 'app', 'mcp', 'config', 'compose'],
    'index.ts': ['core', 'app', 'library'],
  },
  fileArrows: {
    // Where a program begins, like compose: the worker boots beside it, a folder is looked at before anything is composed, and a file that holds
    // a thread is known at the end.
    'cli/main.ts': ['workers/spare-worker.ts', 'workers/files/file-threads.ts', 'vault/vault-root.ts'],
    // Every small file of the state folder is changed under the same lock.
    'http/token-file.ts': ['config/state-file.ts'],
    // Databases of the state folder are opened and migrated in one way.
    'outbound/consent-ledger.ts': ['changes/record/state-database.ts'],
  },
  packages: {
    '../package.json': ['cli'],
    '@huggingface/transformers': ['embed'],
    '@modelcontextprotocol/server': ['mcp', 'http'],
    '@photostructure/sqlite': ['store'],
    '@preact/signals': ['web/client'],
    chokidar: ['vault'],
    'decode-named-character-reference': ['ai'],
    diff: ['changes', 'cli'],
    'env-paths': ['config'],
    'file-type': ['changes', 'app'],
    hast: ['web/client'],
    'hast-util-sanitize': ['web/client'],
    'hnswlib-node': ['store'],
    'jsonc-parser': ['install'],
    mdast: ['web/client', 'ai'],
    'mdast-util-from-markdown': ['web/client', 'ai'],
    'mdast-util-gfm': ['web/client', 'ai'],
    'mdast-util-to-markdown': ['ai'],
    'mdast-util-to-hast': ['web/client'],
    'micromark-extension-gfm': ['web/client', 'ai'],
    mime: ['core', 'changes'],
    'neo4j-driver': ['store'],
    preact: ['web/client'],
    stemmer: ['search'],
    temml: ['web/client'],
    yaml: ['core', 'config', 'markdown'],
    zod: ['mcp', 'http'],
  },
  builtIns: {
    // A key that a password manager gives; a browser that is opened.
    child_process: ['cli', 'outbound'],
    dns: ['outbound'],
    fs: ON_DISK.concat('http', 'web'),
    http: ['http', 'web'],
    net: ['http', 'outbound'],
    os: ['changes', 'cli', 'config', 'embed', 'store', 'vault'],
    worker_threads: ['embed', 'store', 'workers'],
  },
  loaded: ['@huggingface/transformers', '@photostructure/sqlite', 'hnswlib-node', 'neo4j-driver', 'yaml'],
}
