import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError } from '../core/errors.ts'
import { WorkerCalls } from '../core/thread-calls.ts'
import { untilAborted } from '../core/waiting.ts'
import { type DownloadProgress, type EmbedderSettings, embedderId } from './embedder-settings.ts'
import {
  damagedModel,
  findDamage,
  inspectModelFolder,
  isEngineInstalled,
  type ModelPlace,
  missingEngine,
  placeModel,
  workerEndedError,
} from './model-engine.ts'
import { isBlank, type ModelRecipe, modelName, recipeOf } from './model-recipes.ts'
import type { FlatVectors, ModelToOpen, OpenedModel } from './model-service.ts'
import type { ModelWorkerService } from './transformers-worker.ts'

/** Milliseconds for the worker to release its model. */
const GRACE = 3000

/** The number of strings per padded batch. Larger batches are no faster and take more memory (measured with all-MiniLM-L6-v2). */
const SLICE = 16

/** The number of texts per call: four slices. Sorting them by length reduces padding. */
const BATCH = 64

const DEFAULT_MODEL = 'Xenova/all-MiniLM-L6-v2'

export interface TransformersDependencies {
  readonly workerEntry: string | URL
  readonly modelsFolder: string
  /** The packages to try, in order. The default is a package next to the program or in Node's global folder. */
  readonly engines?: readonly string[]
  readonly hubUrl?: string
  readonly onProgress?: (progress: DownloadProgress) => void
}

/**
 * Opens a model that runs in a worker.
 * @throws RouxError `PROVIDER_ERROR` if the package or model is unusable or has other dimensions; the signal's reason if aborted
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
    const openedModel = await untilAborted(worker.open(), signal)
    checkDimensions(model, openedModel.dimensions, settings.dimensions)
    return new TransformersEmbedder(model, { recipe, opened: openedModel, worker })
  } catch (error) {
    await worker.close()
    throw error
  }
}

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
  #isClosed = false

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
    if (this.#isClosed) throw closedError(this.id)
    signal?.throwIfAborted()
    const vectors = texts.map(() => new Float32Array(this.dimensions))
    const prefix = kind === 'passage' ? this.#recipe.passagePrefix : this.#recipe.queryPrefix
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
    this.#isClosed = true
    await this.#worker.close()
  }

  async #run(texts: readonly string[], signal: AbortSignal | undefined): Promise<FlatVectors> {
    if (this.#isClosed) throw closedError(this.id)
    signal?.throwIfAborted()
    const running = this.#worker.embed(texts).catch((error) => {
      throw this.#isClosed ? closedError(this.id) : error
    })
    const vectors = await untilAborted(running, signal)
    checkDimensions(this.#model, vectors.dimensions, this.dimensions)
    return vectors
  }
}

function chosenRecipe(model: string, settings: EmbedderSettings): ModelRecipe {
  const recipe = recipeOf(model)
  return {
    queryPrefix: settings.queryPrefix ?? recipe.queryPrefix,
    passagePrefix: settings.passagePrefix ?? recipe.passagePrefix,
    pooling: recipe.pooling,
    maxTokens: settings.maxTokens ?? recipe.maxTokens,
  }
}

interface OpeningOptions {
  readonly settings: EmbedderSettings
  readonly dependencies: TransformersDependencies
}

/** Plans how to open the model. @throws RouxError `PROVIDER_ERROR` if the model is missing and must not be downloaded */
function planOpening(
  { folder, hubId }: ModelPlace,
  recipe: ModelRecipe,
  { settings, dependencies }: OpeningOptions,
): ModelToOpen {
  const { pooling, maxTokens } = recipe
  const common = {
    name: settings.model ?? DEFAULT_MODEL,
    engines: dependencies.engines ?? defaultEngines(),
    folder,
    pooling,
    maxTokens,
  }
  const inspection = inspectModelFolder(folder)
  if ('precision' in inspection) {
    const damage = findDamage(folder)
    if (damage !== undefined) throw damagedModel(folder, damage)
    return { ...common, precision: inspection.precision }
  }
  if (hubId === undefined) {
    throw providerError(
      `The model's folder ${folder} is not complete: ${inspection.missing.join(', ')} ${inspection.missing.length === 1 ? 'is' : 'are'} missing.`,
      'Copy the missing files there, or set `embedder.model` to a Hugging Face model id.',
    )
  }
  if (!settings.allowDownload) {
    throw providerError(
      `The model ${hubId} is not on this machine.`,
      'Run `roux index --download` to download it once, or set `embedder.kind: static`, which needs no download.',
    )
  }
  const { hubUrl, modelsFolder } = dependencies
  return { ...common, download: { hubId, models: modelsFolder, ...(hubUrl === undefined ? {} : { hubUrl }) } }
}

function defaultEngines(): readonly string[] {
  const node = dirname(process.execPath)
  const global = process.platform === 'win32' ? join(node, 'node_modules') : join(node, '..', 'lib', 'node_modules')
  return ['@huggingface/transformers', join(global, '@huggingface', 'transformers')]
}

function sliceByLength(texts: readonly string[]): readonly (readonly number[])[] {
  const filled = [...texts.keys()].filter((index) => !isBlank(texts[index] ?? ''))
  const byLength = filled.toSorted((first, right) => (texts[first]?.length ?? 0) - (texts[right]?.length ?? 0))
  return Array.from({ length: Math.ceil(byLength.length / SLICE) }, (_, i) => byLength.slice(i * SLICE, (i + 1) * SLICE))
}

/** Checks the number of dimensions. `undefined` accepts any. @throws RouxError `PROVIDER_ERROR` if they are unexpected */
function checkDimensions(model: string, actual: number, expected: number | undefined): void {
  if (expected === undefined || actual === expected) return
  throw providerError(
    `The model ${model} returns vectors with ${actual} dimensions instead of ${expected}.`,
    `Set \`embedder.dimensions\` to ${actual}, or remove it.`,
  )
}

/** A worker that starts on the first request, and again if it has ended. */
class ModelWorker {
  readonly #calls: WorkerCalls<ModelWorkerService, Worker>
  readonly #model: ModelToOpen
  readonly #onProgress: ((progress: DownloadProgress) => void) | undefined
  #openedModel: Promise<OpenedModel> | undefined

  constructor(entry: string | URL, model: ModelToOpen, onProgress?: (progress: DownloadProgress) => void) {
    this.#model = model
    this.#onProgress = onProgress
    // The engine's output must not reach the protocol's stdout.
    const start = (): Worker => new Worker(entry, { stdout: true })
    this.#calls = new WorkerCalls(start, (error) => {
      this.#openedModel = undefined
      return workerEndedError(model.name, error ?? 'it ended')
    })
  }

  open(): Promise<OpenedModel> {
    const onProgress = this.#onProgress
    this.#openedModel ??= this.#calls.call('open', this.#model, onProgress === undefined ? {} : { onProgress }).catch((error) => {
      this.#openedModel = undefined
      throw error
    })
    return this.#openedModel
  }

  async embed(texts: readonly string[]): Promise<FlatVectors> {
    await this.open()
    return await this.#calls.call('embed', texts)
  }

  async close(): Promise<void> {
    const { worker } = this.#calls
    if (worker === undefined) return
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    this.#calls.call('close', undefined).catch(() => {})
    const timer = setTimeout(() => void worker.terminate(), GRACE)
    await exited
    clearTimeout(timer)
  }
}
