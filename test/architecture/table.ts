/** The imports that are allowed, as docs/architecture.md describes them. */
export interface Rules {
  /** The root folders and files that each of them may import, besides itself. */
  readonly arrows: Readonly<Record<string, readonly string[]>>
  /** Imports that are additionally allowed from one file to others. */
  readonly fileArrows: Readonly<Record<string, readonly string[]>>
  /** The folders that may import a package, or a file outside `src/`. */
  readonly packages: Readonly<Record<string, readonly string[]>>
  /** The folders that may import a Node module; all may import an unlisted one. */
  readonly builtIns: Readonly<Record<string, readonly string[]>>
  /** Packages that are loaded lazily; their quoted name counts as an import. */
  readonly loaded: readonly string[]
}

const PURE = ['markdown', 'links', 'graph', 'search']
const ADAPTERS = ['changes', 'config', 'embed', 'indexing', 'outbound', 'store', 'vault']
const ON_DISK = ['changes', 'cli', 'config', 'embed', 'outbound', 'store', 'vault', 'workers', 'compose', 'relay']

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
    oauth: ['core', 'http'],
    // Code that runs in a browser. It knows only the types of answers from the program.
    'web/client': ['core', 'app'],
    cli: ['core', 'app', 'mcp', 'http', 'web', 'oauth', 'config', 'install', 'compose', 'relay'],
    relay: ['core'],
    workers: ['core', ...PURE, 'insight', ...ADAPTERS],
    compose: ['core', 'app', ...ADAPTERS, 'workers'],
    library: ['core', 'app', 'mcp', 'config', 'compose'],
    'index.ts': ['core', 'app', 'library'],
  },
  fileArrows: {
    // Like `compose`, this file puts the program together. It starts a spare worker, checks the folder before anything is
    // composed, and learns at exit whether a file still blocks a thread or a thread is inside SQLite.
    'cli/main.ts': ['workers/spare-worker.ts', 'workers/files/file-threads.ts', 'workers/thread-guard.ts', 'vault/vault-root.ts'],
    // Passages are shown without their Markdown syntax, except in code.
    'cli/output/marked-text.ts': ['markdown/code.ts'],
    // This file is a script of its own, which must stay small.
    'relay/place.ts': ['config/environment.ts'],
    'relay/greeting.ts': ['config/environment.ts'],
    // Every small file of the state folder is changed under the same lock.
    'http/tokens.ts': ['config/state-file.ts'],
    'oauth/state-files.ts': ['config/state-file.ts'],
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
    graphology: ['library'],
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
    zod: ['mcp', 'http', 'oauth'],
  },
  builtIns: {
    // These folders ask a password manager for a key, or open a browser.
    child_process: ['cli', 'outbound', 'relay'],
    // A program's description of itself, from a host that a setting lists.
    dns: ['outbound', 'oauth'],
    fs: ON_DISK.concat('http', 'web', 'oauth'),
    http: ['http', 'web', 'oauth'],
    https: ['oauth'],
    net: ['cli', 'http', 'outbound', 'oauth', 'relay'],
    os: ['changes', 'cli', 'config', 'embed', 'relay', 'store', 'vault'],
    worker_threads: ['embed', 'store', 'workers'],
  },
  loaded: ['@huggingface/transformers', '@photostructure/sqlite', 'graphology', 'hnswlib-node', 'neo4j-driver', 'yaml'],
}
