// Child processes run plain JavaScript: bundles the parts that are tested beside the dependencies that they load.
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const OUT = `${ROOT}node_modules/.cache/roux-crash/${process.pid}`

/** Bundles the module of `test/crash` that has this name. @returns the file. */
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

/** The same, loaded. */
export async function load(name) {
  return await import(pathToFileURL(await bundle(name)).href)
}
