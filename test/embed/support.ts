import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from '../support/temporary.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The shipped English table. */
export const TABLE = here('../../assets/embedder/static-256.bin')

/** Both shipped tables. */
export const TABLES = { english: TABLE, multilingual: here('../../assets/embedder/ml-256-int4.bin') }

/** A real model; it is too large for this repository, so it may be in a folder next to it. */
export const MODEL = here('../../../shared/models/all-MiniLM-L6-v2')

export const FAKE_ENGINE = here('engines/fake.cjs')
export const BROKEN_ENGINE = here('engines/broken.cjs')

/** The optional package `@huggingface/transformers`; `ROUX_TRANSFORMERS` can give its location. */
export const ENGINE = process.env.ROUX_TRANSFORMERS ?? locate(createRequire(import.meta.url), '@huggingface/transformers')

/** The tokenizers that come with the engine. */
export const TOKENIZERS = ENGINE === undefined ? undefined : locate(createRequire(ENGINE), '@huggingface/tokenizers')

/** Why tests of the real engine and model are skipped; empty if they run. */
export const MISSING = [
  ...(ENGINE === undefined ? ['@huggingface/transformers is not installed'] : []),
  ...(existsSync(MODEL) ? [] : ['no ../shared/models/all-MiniLM-L6-v2']),
].join(', ')

/** Builds the worker's entry like the program's. Keep the result: each call builds. */
export async function buildWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'transformers-worker.mjs')
  const entryPoints = [here('../../src/embed/transformers-worker.ts')]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  return outfile
}

/** A folder with a model for the fake engine; `files` adds files, or removes them if `undefined`. */
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
