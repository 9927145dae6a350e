// Bundles and runs a module that imports the sources, next to the packages it needs.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** `entry` is relative to `bench/`. @returns what the module exports */
export async function runBundled(entry) {
  const folder = mkdtempSync(join(root, 'node_modules/.bench-'))
  try {
    const outfile = join(folder, 'main.mjs')
    await build({
      entryPoints: [join(root, 'bench', entry)],
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      outfile,
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
