// How good communities and gaps are: `npm run bench:map -- <vault>…`, after `npm run build`.
//
// Of each vault: how many communities there are and how large; agreement (adjusted Rand index) with folders, or, where notes called "… by category" are in
// folders of that name, with the categories of notes that are in one; what stays when nothing, one link or a hundredth of all links changes; whether
// two alike communities whose links were all taken out are among the first three gaps; how long an answer is and how fast it comes.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(root, 'node_modules/.bench-map-'))
try {
  const outfile = join(folder, 'main.mjs')
  const entry = join(root, 'bench/insight/map-quick.ts')
  await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outfile,
  })
  await import(pathToFileURL(outfile).href)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
