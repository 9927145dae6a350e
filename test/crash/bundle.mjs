// Child processes run plain JavaScript, so this module bundles the tested modules. The SQLite binding stays external.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OUT = `${ROOT}node_modules/.cache/roux-crash/${process.pid}`

/** Bundles a module of `test/crash` by name. @returns the file. */
export async function bundle(name) {
  const outfile = `${OUT}/${name}.mjs`
  await build({
    entryPoints: [`${ROOT}test/crash/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@photostructure/sqlite'],
    logLevel: 'warning',
  })
  return outfile
}

/** Bundles and imports a module. */
export async function load(name) {
  return await import(pathToFileURL(await bundle(name)).href)
}
