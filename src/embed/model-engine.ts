import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { providerError, reasonOf } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { quietly } from '../core/quietly.ts'

/** The precisions by file name, best first. 8-bit weights perform like 32-bit ones at a quarter of the size. */
const PRECISIONS = [
  ['q8', 'model_quantized.onnx'],
  ['int8', 'model_int8.onnx'],
  ['uint8', 'model_uint8.onnx'],
  ['fp32', 'model.onnx'],
  ['fp16', 'model_fp16.onnx'],
  ['q4', 'model_q4.onnx'],
  ['bnb4', 'model_bnb4.onnx'],
  ['q4f16', 'model_q4f16.onnx'],
] as const

const DESCRIPTIONS = ['config.json', 'tokenizer_config.json']

/** The files of a model. Only the worker reads `tokenizer.json`, which can be 17 MB. */
const NEEDED = [...DESCRIPTIONS, 'tokenizer.json']

const HUB_ID = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/

export const PREFERRED_PRECISIONS: readonly string[] = PRECISIONS.map(([precision]) => precision)

export interface Engine {
  readonly env: {
    allowRemoteModels: boolean
    allowLocalModels: boolean
    cacheDir: string | null
    remoteHost: string
    logLevel: number
  }
  readonly AutoTokenizer: { from_pretrained(model: string, options: LoadOptions): Promise<EngineTokenizer> }
  readonly AutoModel: { from_pretrained(model: string, options: LoadOptions): Promise<EngineModel> }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => EngineTensor
  /** This member is missing in older versions of `@huggingface/transformers`. */
  readonly ModelRegistry?: {
    get_available_dtypes(model: string): Promise<readonly string[]>
    get_files(model: string, options: { readonly dtype: string }): Promise<readonly string[]>
    get_file_metadata(model: string, file: string): Promise<{ readonly size?: number }>
  }
}

export interface LoadOptions {
  readonly dtype?: string
  readonly progress_callback?: (event: EngineProgress) => void
}

export interface EngineProgress {
  readonly status: string
  readonly file?: string
  readonly loaded?: number
  readonly total?: number
}

export interface EngineTensor {
  readonly data: ArrayLike<number>
  readonly dims: readonly number[]
  dispose?(): void
}

/** The token ids (`input_ids`) and other inputs, all of the same length. */
export type Encoding = Readonly<Record<string, readonly number[]>>

export interface EngineTokenizer {
  (text: string, options: { readonly return_tensor: false }): Encoding
  readonly pad_token_id?: number
}

export interface EngineModel {
  (inputs: Readonly<Record<string, EngineTensor>>): Promise<Readonly<Record<string, EngineTensor | undefined>>>
  dispose?(): Promise<unknown>
}

export type LoadedEngine = { readonly engine: Engine } | { readonly problem: 'missing' | 'broken'; readonly message: string }

/**
 * Loads the first installed package. The function calls `require`, which bundlers ignore and which accepts paths on every
 * platform.
 */
export function loadEngine(specifiers: readonly string[]): LoadedEngine {
  const require = createRequire(import.meta.url)
  for (const specifier of specifiers) {
    const path = quietly(() => require.resolve(specifier))
    if (path === undefined) continue
    try {
      return { engine: require(path) as Engine }
    } catch (error) {
      return { problem: 'broken', message: reasonOf(error) }
    }
  }
  return { problem: 'missing', message: `none of ${specifiers.join(', ')} is installed` }
}

export function isEngineInstalled(specifiers: readonly string[]): boolean {
  const require = createRequire(import.meta.url)
  return specifiers.some((specifier) => quietly(() => require.resolve(specifier)) !== undefined)
}

export interface ModelPlace {
  readonly folder: string
  /** The id on the hub. It is omitted for a folder given by the user. */
  readonly hubId?: string
}

/**
 * Only a string that looks like a path is a folder, because a hub id could match a folder in the working directory.
 * @param models contains downloaded models as `<owner>/<name>`
 * @throws RouxError `PROVIDER_ERROR` if the string is neither
 */
export function placeModel(model: string, models: string): ModelPlace {
  if (isAbsolute(model) || /^(\.\.?|~)([\\/]|$)/.test(model))
    return { folder: model.startsWith('~') ? join(homedir(), model.slice(1)) : resolve(model) }
  if (HUB_ID.test(model) && !model.includes('..')) return { folder: join(models, ...model.split('/')), hubId: model }
  throw providerError(
    `"${model}" is neither a folder nor a Hugging Face model id.`,
    'Set `embedder.model` to an id such as `Xenova/all-MiniLM-L6-v2`, or to a folder: `./folder`, `~/folder` or a full path.',
  )
}

export function inspectModelFolder(folder: string): { readonly precision: string } | { readonly missing: readonly string[] } {
  const weights = quietly(() => readdirSync(join(folder, 'onnx'))) ?? []
  const precision = PRECISIONS.find(([, file]) => weights.includes(file))?.[0]
  const missing = NEEDED.filter((name) => !(statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() ?? false))
  if (precision !== undefined && missing.length === 0) return { precision }
  return { missing: precision === undefined ? [...missing, 'onnx/model_quantized.onnx'] : missing }
}

/** Checks only the description files of a model. @returns the problem, if any */
export function findDamage(folder: string): string | undefined {
  return DESCRIPTIONS.find((name) => !isJsonObject(join(folder, name)))?.concat(' is damaged')
}

function isJsonObject(path: string): boolean {
  return isRecord(quietly(() => JSON.parse(readFileSync(path, 'utf8')) as unknown))
}

/** The package is not a dependency, because it takes up 470 MB. */
const INSTALL = '`npm install -g --ignore-scripts @huggingface/transformers@4.3.1`'

export function missingEngine(): Error {
  return providerError(
    'The embedder `transformers` needs the package @huggingface/transformers, which is not installed.',
    `Install it with ${INSTALL}, or set \`embedder.kind: static\`.`,
  )
}

export function brokenEngine(reason: string): Error {
  return providerError(`The package @huggingface/transformers cannot be loaded: ${reason}.`, `Reinstall it with ${INSTALL}.`)
}

export function damagedModel(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} could not be loaded: ${reasonOf(cause)}.`,
    'Delete its folder and download the model again. It must be an ONNX model for feature extraction.',
    cause,
  )
}

export function failedDownload(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} could not be downloaded: ${reasonOf(cause)}.`,
    'Check its name, whether it has ONNX files, and your network connection. Then run `roux index --download` again.',
    cause,
  )
}

export function failedModel(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} failed: ${reasonOf(cause)}.`,
    'Try again. If it keeps failing, set `embedder.model` to another model.',
    cause,
  )
}

export function workerEndedError(model: string, cause: unknown): Error {
  return providerError(
    `The worker that runs the model ${model} ended: ${reasonOf(cause)}.`,
    'Try again; the worker will be restarted. If it keeps ending, there may not be enough memory for this model.',
    cause,
  )
}
