import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from '../support/temporary.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The table that is shipped. */
export const TABLE = here('../../assets/embedder/static-256.bin')

/** A real model in a folder; too large for this repository, it may lie beside it. */
export const MODEL = here('../../../shared/models/all-MiniLM-L6-v2')

export const FAKE_ENGINE = here('engines/fake.cjs')
export const BROKEN_ENGINE = here('engines/broken.cjs')

/** The package `@huggingface/transformers`: an optional one; `ROUX_TRANSFORMERS` may tell where it is. */
export const ENGINE = process.env.ROUX_TRANSFORMERS ?? locate(createRequire(import.meta.url), '@huggingface/transformers')

/** The tokenizers that the engine brings. */
export const TOKENIZERS = ENGINE === undefined ? undefined : locate(createRequire(ENGINE), '@huggingface/tokenizers')

/** Why a test of the real engine and model does not run; `undefined` when it does. */
export const MISSING = [
  ...(ENGINE === undefined ? ['@huggingface/transformers is not installed'] : []),
  ...(existsSync(MODEL) ? [] : ['no ../shared/models/all-MiniLM-L6-v2']),
].join(', ')

/** The worker's entry, built the way the program's is. Remember it: each call builds. */
export async function buildWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'transformers-worker.mjs')
  const entryPoints = [here('../../src/embed/transformers-worker.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return outfile
}

/** A folder with the files of a model that the fake engine reads; `files` adds to them, `undefined` leaves out. */
export function modelFolder(
  fake: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string | undefined>> = {},
): string {
  const folder = join(temporaryFolder(), 'all-MiniLM-fake')
  const all = {
    'config.json': JSON.stringify({ fake }),
    'tokenizer.json': '{}',
    'tokenizer_config.json': '{}',
    'onnx/model_quantized.onnx': 'weights',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    if (text === undefined) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

function locate(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name)
  } catch {
    return undefined
  }
}
