import type { DownloadProgress } from './embedder-settings.ts'
import {
  brokenEngine,
  damagedModel,
  type Encoding,
  type Engine,
  type EngineModel,
  type EngineProgress,
  type EngineTensor,
  type EngineTokenizer,
  failedDownload,
  failedModel,
  loadEngine,
  missingEngine,
  PREFERRED_PRECISIONS,
} from './model-engine.ts'
import type { Pooling } from './model-recipes.ts'
import { unitVector } from './model-recipes.ts'

/**
 * No tokenizer on the hub has longer tokens on average. Text is truncated first, because most tokenizers take more than linear
 * time on text without spaces.
 */
const CHARACTERS_PER_TOKEN = 32

/** The value of `LogLevel.ERROR` in the engine. Roux reports other problems itself. */
const ERRORS_ONLY = 40

export interface ModelToOpen {
  readonly name: string
  readonly engines: readonly string[]
  readonly folder: string
  /** The precision of the weights. It is omitted if the model is not downloaded yet. */
  readonly precision?: string
  /** If given, the model is first downloaded to `<models>/<hubId>`. */
  readonly download?: { readonly hubId: string; readonly models: string; readonly hubUrl?: string }
  readonly pooling: Pooling
  readonly maxTokens: number
}

export interface OpenedModel {
  readonly dimensions: number
  /** The number format of the weights: `q8`, `fp32`, … */
  readonly precision: string
}

/** A concatenation of unit vectors. */
export interface FlatVectors {
  readonly values: Float32Array
  readonly dimensions: number
}

export interface ModelService {
  readonly opened: OpenedModel
  /** Embeds strings, which form one padded batch and should have similar lengths. */
  embed(texts: readonly string[]): Promise<FlatVectors>
  close(): Promise<void>
}

/** Opens a model, after downloading it if requested. @throws RouxError `PROVIDER_ERROR` */
export async function openModelService(
  model: ModelToOpen,
  onProgress: (progress: DownloadProgress) => void,
): Promise<ModelService> {
  const loadedEngine = loadEngine(model.engines)
  if ('problem' in loadedEngine) throw loadedEngine.problem === 'missing' ? missingEngine() : brokenEngine(loadedEngine.message)
  const { engine } = loadedEngine
  configure(engine, model)
  const parts = await loadModel(engine, model, onProgress).catch((error) => {
    throw model.download === undefined ? damagedModel(model.name, error) : failedDownload(model.name, error)
  })
  const embed = (texts: readonly string[]) => run(engine, parts, model, texts)
  const { dimensions } = await embed(['dimensions']).catch((error) => {
    throw damagedModel(model.name, error)
  })
  return {
    opened: { dimensions, precision: parts.precision },
    embed: (texts) =>
      embed(texts).catch((error) => {
        throw failedModel(model.name, error)
      }),
    async close() {
      await parts.model.dispose?.()
    },
  }
}

interface Parts {
  readonly tokenizer: EngineTokenizer
  readonly model: EngineModel
  readonly precision: string
}

/** Configures the engine. Loading by path keeps it offline, and downloads go to the models folder. */
function configure({ env }: Engine, { download }: ModelToOpen): void {
  env.logLevel = ERRORS_ONLY
  env.allowRemoteModels = download !== undefined
  env.allowLocalModels = download === undefined
  if (download === undefined) return
  env.cacheDir = download.models
  if (download.hubUrl !== undefined) env.remoteHost = download.hubUrl
}

async function loadModel(
  engine: Engine,
  { folder, precision: knownPrecision, download }: ModelToOpen,
  onProgress: (progress: DownloadProgress) => void,
): Promise<Parts> {
  const name = download?.hubId ?? folder
  const precision = knownPrecision ?? (await choosePrecision(engine, name))
  const progress = download === undefined ? {} : { progress_callback: await followDownload(engine, name, precision, onProgress) }
  const tokenizer = await engine.AutoTokenizer.from_pretrained(name, progress)
  return { tokenizer, model: await engine.AutoModel.from_pretrained(name, { ...progress, dtype: precision }), precision }
}

async function choosePrecision({ ModelRegistry }: Engine, name: string): Promise<string> {
  const available = (await ModelRegistry?.get_available_dtypes(name)) ?? ['q8']
  const precision = PREFERRED_PRECISIONS.find((candidate) => available.includes(candidate))
  if (precision === undefined) throw new Error('it has no ONNX weights')
  return precision
}

async function followDownload(
  engine: Engine,
  name: string,
  precision: string,
  onProgress: (progress: DownloadProgress) => void,
): Promise<(event: EngineProgress) => void> {
  const size = await sizeOf(engine, name, precision)
  const bytesByFile = new Map<string, number>()
  let reportedBytes = 0
  const report = (bytes: number) => {
    reportedBytes = bytes
    onProgress({ loaded: bytes, ...(size === undefined ? {} : { total: size }) })
  }
  report(0)
  return ({ status, file, loaded: bytes }) => {
    if (status !== 'progress' || file === undefined || bytes === undefined) return
    bytesByFile.set(file, bytes)
    const sum = [...bytesByFile.values()].reduce((total, right) => total + right, 0)
    // The engine reports every packet, but only whole percents are passed on.
    if (sum - reportedBytes >= (size ?? 100_000_000) / 100 || sum === size) report(sum)
  }
}

async function sizeOf({ ModelRegistry }: Engine, name: string, precision: string): Promise<number | undefined> {
  if (ModelRegistry === undefined) return undefined
  const files = await ModelRegistry.get_files(name, { dtype: precision })
  const metadata = await Promise.all(files.map((file) => ModelRegistry.get_file_metadata(name, file)))
  return metadata.reduce((sum, { size }) => sum + (size ?? 0), 0)
}

async function run(
  engine: Engine,
  { tokenizer, model }: Parts,
  { maxTokens, pooling }: ModelToOpen,
  texts: readonly string[],
): Promise<FlatVectors> {
  const encodings = texts.map((text) => encode(tokenizer, text, maxTokens))
  const inputs = Object.entries(padInputs(encodings, tokenizer.pad_token_id ?? 0)).map(
    ([name, { values, dims }]) => [name, new engine.Tensor('int64', values, dims)] as const,
  )
  const output = await model(Object.fromEntries(inputs))
  const tokens = output.last_hidden_state ?? output.token_embeddings ?? output.logits
  if (tokens === undefined || tokens.dims.length !== 3) throw new Error('the model does not return token vectors')
  checkShape(tokens, texts.length)
  const lengths = encodings.map((encoding) => encoding.input_ids?.length ?? 0)
  return { values: pool(tokens, lengths, pooling), dimensions: tokens.dims[2] ?? 0 }
}

function checkShape({ data, dims }: EngineTensor, texts: number): void {
  const [rows = 0, tokens = 0, dimensions = 0] = dims
  if (rows === texts && data.length === rows * tokens * dimensions && dimensions > 0) return
  throw new Error(`the model returned a tensor of shape ${dims.join(' × ')} for ${texts} texts`)
}

/** Truncates to `maxTokens` but keeps the end tokens. */
export function encode(tokenizer: EngineTokenizer, text: string, maxTokens: number): Encoding {
  const encoding = tokenizer(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN), { return_tensor: false })
  const ids = encoding.input_ids ?? []
  if (ids.length <= maxTokens) return encoding
  const endMarkCount = endMarks(ids, tokenizer('', { return_tensor: false }).input_ids ?? [])
  const truncate = (values: readonly number[]) => [
    ...values.slice(0, maxTokens - endMarkCount),
    ...values.slice(values.length - endMarkCount),
  ]
  return Object.fromEntries(Object.entries(encoding).map(([key, values]) => [key, truncate(values)]))
}

/** Counts the trailing tokens that an empty text also has. */
function endMarks(ids: readonly number[], empty: readonly number[]): number {
  let marks = 0
  while (marks < empty.length && ids.at(-1 - marks) === empty.at(-1 - marks)) marks++
  return marks
}

export interface PaddedInput {
  readonly values: BigInt64Array
  readonly dims: readonly [texts: number, tokens: number]
}

/** Pads inputs to equal length. `input_ids` are padded with `pad`, other inputs with zeros. */
export function padInputs(encodings: readonly Encoding[], pad: number): Readonly<Record<string, PaddedInput>> {
  const tokens = Math.max(...encodings.map((encoding) => encoding.input_ids?.length ?? 0))
  const names = Object.keys(encodings[0] ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const values = new BigInt64Array(encodings.length * tokens).fill(BigInt(name === 'input_ids' ? pad : 0))
      for (const [row, encoding] of encodings.entries()) {
        for (const [column, value] of (encoding[name] ?? []).entries()) values[row * tokens + column] = BigInt(value)
      }
      return [name, { values, dims: [encodings.length, tokens] as const }]
    }),
  )
}

/**
 * Returns concatenated unit vectors. `dims` are texts, tokens and dimensions; padding is at the end.
 * @throws Error if a vector is zero or contains NaN
 */
export function pool({ data, dims }: EngineTensor, lengths: readonly number[], pooling: Pooling): Float32Array {
  const [, tokens = 0, dimensions = 0] = dims
  const values = new Float32Array(lengths.length * dimensions)
  for (const [text, length] of lengths.entries()) {
    const usedTokens = pooling === 'first' ? 1 : length
    const sum = new Float64Array(dimensions)
    for (let token = 0; token < usedTokens; token++) {
      const start = (text * tokens + token) * dimensions
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + (data[start + i] as number)
    }
    const vector = unitVector(sum)
    if (vector === undefined) throw new Error('the model returned a vector that is zero or contains NaN')
    values.set(vector, text * dimensions)
  }
  return values
}
