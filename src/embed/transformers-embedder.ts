import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError, reasonOf } from '../core/provider-error.ts'
import { untilAborted } from '../core/waiting/aborting.ts'
import { type DownloadProgress, type EmbedderSettings, embedderId } from './embedder-settings.ts'
import { findDamage, inspectModelFolder, isEngineInstalled, type ModelPlace, placeModel } from './model-engine.ts'
import type { FlatVectors, FromModelWorker, ModelFailure, ModelToOpen, OpenedModel, ToModelWorker } from './model-messages.ts'
import { type ModelRecipe, modelName, recipeOf } from './model-recipes.ts'
import { isBlank } from './vectors.ts'

/** The tested version. It takes 470 MB and is therefore not installed with Roux. */
const INSTALL = '`npm install -g --ignore-scripts @huggingface/transformers@4.3.1`'

/** Milliseconds that a worker has to free its model before it is ended. */
const GRACE = 3000

/** Texts run as one padded batch: more are not faster and take more memory (measured on all-MiniLM-L6-v2). */
const SLICE = 16

/** Four slices: sorting by length then saves padding. */
const BATCH = 64

const DEFAULT_MODEL = 'Xenova/all-MiniLM-L6-v2'

export interface TransformersDependencies {
  /** `transformers-worker` as it was built. */
  readonly workerEntry: string | URL
  /** Folder that downloaded models are kept in. */
  readonly modelsFolder: string
  /** Where to look for the engine instead of beside this program and in Node's global folder. */
  readonly engines?: readonly string[]
  /** Another address of the Hugging Face hub: a mirror. */
  readonly hubUrl?: string
  readonly onProgress?: (progress: DownloadProgress) => void
}

/**
 * Loads a model with `@huggingface/transformers` in a worker.
 * @throws RouxError `PROVIDER_ERROR` when package or model are missing, damaged or of other dimensions; the signal's reason.
 */
export async function openTransformersEmbedder(
  settings: EmbedderSettings,
  dependencies: TransformersDependencies,
  signal?: AbortSignal,
): Promise<Embedder> {
  signal?.throwIfAborted()
  const model = settings.model ?? DEFAULT_MODEL
  const recipe = chosenRecipe(model, settings)
  const toOpen = planOpening(placeModel(model, dependencies.modelsFolder), recipe, { settings, dependencies })
  const worker = new ModelWorker(dependencies.workerEntry, toOpen, dependencies.onProgress)
  try {
    const opened = await untilAborted(worker.open(), signal)
    checkDimensions(model, opened.dimensions, settings.dimensions)
    return new TransformersEmbedder(model, { recipe, opened, worker })
  } catch (error) {
    await worker.close()
    throw signal?.aborted ? error : explainFailure(error, model)
  }
}

/** Missing packages or files that would keep a model from loading, found without loading it. */
export function obstaclesOf(settings: EmbedderSettings, dependencies: TransformersDependencies): readonly unknown[] {
  const obstacles: unknown[] = []
  if (!isEngineInstalled(dependencies.engines ?? defaultEngines())) obstacles.push(missingEngine())
  try {
    const model = settings.model ?? DEFAULT_MODEL
    planOpening(placeModel(model, dependencies.modelsFolder), chosenRecipe(model, settings), { settings, dependencies })
  } catch (error) {
    obstacles.push(error)
  }
  return obstacles
}

interface Parts {
  readonly recipe: ModelRecipe
  readonly opened: OpenedModel
  readonly worker: ModelWorker
}

class TransformersEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch = BATCH
  readonly #model: string
  readonly #recipe: ModelRecipe
  readonly #worker: ModelWorker
  #closed = false

  constructor(model: string, { recipe, opened, worker }: Parts) {
    this.#model = model
    this.#recipe = recipe
    this.#worker = worker
    this.dimensions = opened.dimensions
    this.id = embedderId({
      kind: 'transformers',
      model: modelName(model),
      dimensions: opened.dimensions,
      recipe: { ...recipe, precision: opened.precision },
    })
  }

  async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#closed) throw closedError(this.id)
    signal?.throwIfAborted()
    const vectors = texts.map(() => new Float32Array(this.dimensions))
    const prefix = kind === 'query' ? this.#recipe.queryPrefix : this.#recipe.passagePrefix
    for (const slice of sliceByLength(texts)) {
      const { values } = await this.#run(
        slice.map((index) => prefix + texts[index]),
        signal,
      )
      for (const [row, index] of slice.entries()) {
        vectors[index]?.set(values.subarray(row * this.dimensions, (row + 1) * this.dimensions))
      }
    }
    return vectors
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker.close()
  }

  async #run(texts: readonly string[], signal: AbortSignal | undefined): Promise<FlatVectors> {
    signal?.throwIfAborted()
    const running = this.#worker.embed(texts).catch((error) => {
      throw this.#closed ? closedError(this.id) : explainFailure(error, this.#model)
    })
    const vectors = await untilAborted(running, signal)
    checkDimensions(this.#model, vectors.dimensions, this.dimensions)
    return vectors
  }
}

function chosenRecipe(model: string, settings: EmbedderSettings): ModelRecipe {
  const known = recipeOf(model)
  return {
    queryPrefix: settings.queryPrefix ?? known.queryPrefix,
    passagePrefix: settings.passagePrefix ?? known.passagePrefix,
    pooling: known.pooling,
    maxTokens: settings.maxTokens ?? known.maxTokens,
  }
}

interface OpeningOptions {
  readonly settings: EmbedderSettings
  readonly dependencies: TransformersDependencies
}

/** The worker's first message: read the folder, or download the model into it if allowed. */
function planOpening(
  { folder, hubId }: ModelPlace,
  recipe: ModelRecipe,
  { settings, dependencies }: OpeningOptions,
): ModelToOpen {
  const { pooling, maxTokens } = recipe
  const common = { engines: dependencies.engines ?? defaultEngines(), folder, pooling, maxTokens }
  const found = inspectModelFolder(folder)
  if ('precision' in found) {
    const damage = findDamage(folder)
    if (damage !== undefined) throw damagedModel(folder, damage)
    return { ...common, precision: found.precision }
  }
  if (hubId === undefined) {
    throw providerError(
      `The model's folder ${folder} is not complete: ${found.missing.join(', ')} ${found.missing.length === 1 ? 'is' : 'are'} missing.`,
      'Copy the missing files there, or set `embedder.model` to an id of the Hugging Face hub.',
    )
  }
  if (!settings.allowDownload) {
    throw providerError(
      `The model ${hubId} is not on this machine.`,
      '`roux index --download` gets it, once; or set `embedder.kind: static`, which needs no download.',
    )
  }
  const { hubUrl, modelsFolder } = dependencies
  return { ...common, download: { hubId, models: modelsFolder, ...(hubUrl === undefined ? {} : { hubUrl }) } }
}

/** Beside this program, else where `npm install -g` puts packages of this Node. */
function defaultEngines(): readonly string[] {
  const node = dirname(process.execPath)
  const global = process.platform === 'win32' ? join(node, 'node_modules') : join(node, '..', 'lib', 'node_modules')
  return ['@huggingface/transformers', join(global, '@huggingface', 'transformers')]
}

/** Indexes of the texts that are not blank, in slices of about one length. */
function sliceByLength(texts: readonly string[]): readonly (readonly number[])[] {
  const filled = [...texts.keys()].filter((index) => !isBlank(texts[index] ?? ''))
  const byLength = filled.toSorted((left, right) => (texts[left]?.length ?? 0) - (texts[right]?.length ?? 0))
  return Array.from({ length: Math.ceil(byLength.length / SLICE) }, (_, i) => byLength.slice(i * SLICE, (i + 1) * SLICE))
}

/** The error of an engine that is not installed. */
function missingEngine(cause?: unknown): Error {
  return providerError(
    'The embedder `transformers` needs the package @huggingface/transformers, which is not installed.',
    `${INSTALL} installs it; or set \`embedder.kind: static\`.`,
    cause,
  )
}

/** @throws RouxError `PROVIDER_ERROR` when a model's vectors are of another length than expected; `undefined` expects none. */
function checkDimensions(model: string, actual: number, expected: number | undefined): void {
  if (expected === undefined || actual === expected) return
  throw providerError(
    `The model ${model} makes vectors of ${actual} dimensions, and ${expected} were expected.`,
    `Set \`embedder.dimensions\` to ${actual}, or leave it out.`,
  )
}

/** The error of a model whose files cannot be used. */
function damagedModel(model: string, reason: string, cause?: unknown): Error {
  return providerError(
    `The model ${model} could not be loaded: ${reason}.`,
    'Delete its folder and get the model again; it must be an ONNX model for feature extraction.',
    cause,
  )
}

/** A worker's failure in the words of someone who can do something about it; other errors stay as they are. */
function explainFailure(error: unknown, model: string): unknown {
  if (!(error instanceof ModelWorkerError)) return error
  const reason = reasonOf(error)
  switch (error.at) {
    case 'package':
      return missingEngine(error)
    case 'engine':
      return providerError(
        `The package @huggingface/transformers cannot be loaded: ${reason}.`,
        `Install it again with ${INSTALL}.`,
        error,
      )
    case 'download':
      return providerError(
        `The model ${model} could not be downloaded: ${reason}.`,
        'Check its name, that it has ONNX files, and the network; then run `roux index --download` again.',
        error,
      )
    case 'load':
      return damagedModel(model, reason, error)
    case 'run':
      return providerError(
        `The model ${model} failed: ${reason}.`,
        'Try again; if it stays so, set another `embedder.model`.',
        error,
      )
    case 'worker':
      return providerError(
        `The worker of the model ${model} ended: ${reason}.`,
        'Try again, it is started again; if it stays so, there may be too little memory for this model.',
        error,
      )
  }
}

/** A failure that a worker told of, or its end (`at: 'worker'`). */
class ModelWorkerError extends Error {
  readonly at: ModelFailure['at'] | 'worker'
  constructor(at: ModelWorkerError['at'], message: string) {
    super(message)
    this.at = at
  }
}

interface Waiting {
  readonly resolve: (message: FromModelWorker) => void
  readonly reject: (error: Error) => void
}

/** A model in a worker of its own. The worker starts with the first request, and again with the first one after it ended. */
class ModelWorker {
  readonly #entry: string | URL
  readonly #model: ModelToOpen
  readonly #onProgress: ((progress: DownloadProgress) => void) | undefined
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #opened: Promise<OpenedModel> | undefined
  #nextId = 1
  #closed = false

  /** `entry` is `transformers-worker` as it was built. */
  constructor(entry: string | URL, model: ModelToOpen, onProgress?: (progress: DownloadProgress) => void) {
    this.#entry = entry
    this.#model = model
    this.#onProgress = onProgress
  }

  /** Loads the model, unless it is there. @throws ModelWorkerError */
  open(): Promise<OpenedModel> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** One batch. @throws ModelWorkerError */
  async embed(texts: readonly string[]): Promise<FlatVectors> {
    await this.open()
    const answer = await this.#ask((id) => ({ type: 'embed', id, texts }))
    if (answer.type !== 'embedded') throw new ModelWorkerError('worker', 'it answered out of turn')
    return answer.vectors
  }

  /** Ends the worker: at once when it frees its model, after a few seconds when it is busy. */
  async close(): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.ref()
    const message: ToModelWorker = { type: 'close' }
    worker.postMessage(message)
    const timer = setTimeout(() => void worker.terminate(), GRACE)
    await ended
    clearTimeout(timer)
  }

  async #open(): Promise<OpenedModel> {
    const answer = await this.#ask((id) => ({ type: 'open', id, model: this.#model }))
    if (answer.type !== 'opened') throw new ModelWorkerError('worker', 'it answered out of turn')
    return answer.opened
  }

  #ask(request: (id: number) => ToModelWorker): Promise<FromModelWorker> {
    if (this.#closed) return Promise.reject(new ModelWorkerError('worker', 'it was closed'))
    const worker = this.#start()
    const id = this.#nextId++
    const answer = new Promise<FromModelWorker>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
    })
    worker.ref()
    worker.postMessage(request(id))
    return answer.finally(() => {
      if (this.#waiting.size === 0) worker.unref()
    })
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    // Output that the engine prints must stay out of the protocol's stdout.
    const worker = new Worker(this.#entry, { stdout: true })
    worker.on('message', (message: FromModelWorker) => this.#receive(message))
    worker.on('error', (error) => this.#end(worker, reasonOf(error)))
    worker.on('exit', () => this.#end(worker, 'it ended'))
    worker.unref()
    this.#worker = worker
    return worker
  }

  #receive(message: FromModelWorker): void {
    if (message.type === 'progress') {
      this.#onProgress?.(message.progress)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'failed') waiting?.reject(new ModelWorkerError(message.failure.at, message.failure.message))
    else waiting?.resolve(message)
  }

  #end(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#opened = undefined
    for (const { reject } of this.#waiting.values()) reject(new ModelWorkerError('worker', reason))
    this.#waiting.clear()
  }
}
