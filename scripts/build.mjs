// Bundles the program: one file per entry point, what they share in chunks, nothing left to resolve at start-up but the SQLite binding.
import { chmod, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

await rm('dist', { recursive: true, force: true })
await build({
  entryPoints: {
    'cli/main': 'src/cli/main.ts',
    'workers/indexer': 'src/workers/indexer.ts',
    'workers/compute': 'src/workers/compute.ts',
    'lib/index': 'src/index.ts',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: process.env.NOMIN !== "1",
  keepNames: true,
  sourcemap: process.argv.includes('--sourcemap'),
  legalComments: 'none',
  external: ['@photostructure/sqlite'],
  // The SDK brings a JSON Schema validator for answers that servers ask of clients; ours asks for none.
  alias: { '@modelcontextprotocol/server/_shims': fileURLToPath(new URL('no-validator.mjs', import.meta.url)) },
  // Bundled CommonJS packages ask for Node's own modules with `require`.
  banner: { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" },
})
await chmod('dist/cli/main.js', 0o755)
