// Bundles the program: one file per entry point, what they share in chunks, nothing left to resolve at start-up but the SQLite binding.
import { chmod, readFile, rm } from 'node:fs/promises'
import { build } from 'esbuild'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))

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
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: process.argv.includes('--sourcemap'),
  legalComments: 'none',
  external: ['@photostructure/sqlite'],
  define: { 'process.env.ROUX_VERSION': JSON.stringify(version) },
  banner: {
    // Bundled CommonJS packages ask for Node's own modules with require.
    js: "import{createRequire as __rouxRequire}from'node:module';const require=__rouxRequire(import.meta.url);",
  },
})
await chmod('dist/cli/main.js', 0o755)
