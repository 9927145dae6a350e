import type { DownloadProgress } from './embedder-settings.ts'
import type { Pooling } from './model-recipes.ts'

/** The model that a worker runs. */
export interface ModelToOpen {
  /** Specifiers or paths of the engine's package, tried in order. */
  readonly engines: readonly string[]
  /** Absolute path of the model's folder. */
  readonly folder: string
  /** One that the folder is known to have; absent when the model is to be downloaded. */
  readonly precision?: string
  /** Downloads the model first, into `<models>/<hubId>`. */
  readonly download?: { readonly hubId: string; readonly models: string; readonly hubUrl?: string }
  readonly pooling: Pooling
  readonly maxTokens: number
}

export interface OpenedModel {
  readonly dimensions: number
  /** The weights' number format: `q8`, `fp32`, … */
  readonly precision: string
}

/** One after the other, without gaps; a text that has no direction has zeros. */
export interface FlatVectors {
  readonly values: Float32Array
  readonly dimensions: number
}

/** Why a worker failed; `package`: the engine is not installed. */
export interface ModelFailure {
  readonly at: 'package' | 'engine' | 'download' | 'load' | 'run'
  readonly message: string
}

export type ToModelWorker =
  | { readonly type: 'open'; readonly id: number; readonly model: ModelToOpen }
  | { readonly type: 'embed'; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: 'close' }

export type FromModelWorker =
  | { readonly type: 'opened'; readonly id: number; readonly opened: OpenedModel }
  | { readonly type: 'embedded'; readonly id: number; readonly vectors: FlatVectors }
  | { readonly type: 'failed'; readonly id: number; readonly failure: ModelFailure }
  | { readonly type: 'progress'; readonly progress: DownloadProgress }
