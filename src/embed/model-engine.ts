import { createRequire } from 'node:module'
import { reasonOf } from '../core/provider-error.ts'

/** The part of `@huggingface/transformers` that is used; without an embedder of that kind it is never loaded. */
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
  /** Not in older versions. */
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

/** Token ids under `input_ids`, and what else the model wants, each as long. */
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
 * Loads the first of these packages that is installed. `require` and not `import`, because a bundler leaves it alone, it finds
 * packages beside the bundle and takes paths on every platform.
 */
export function loadEngine(specifiers: readonly string[]): LoadedEngine {
  const require = createRequire(import.meta.url)
  for (const specifier of specifiers) {
    const path = resolveWith(require, specifier)
    if (path === undefined) continue
    try {
      return { engine: require(path) as Engine }
    } catch (error) {
      return { problem: 'broken', message: reasonOf(error) }
    }
  }
  return { problem: 'missing', message: `none of ${specifiers.join(', ')} is installed` }
}

/** Whether one of these packages is installed; nothing is loaded. */
export function isEngineInstalled(specifiers: readonly string[]): boolean {
  const require = createRequire(import.meta.url)
  return specifiers.some((specifier) => resolveWith(require, specifier) !== undefined)
}

function resolveWith(require: NodeJS.Require, specifier: string): string | undefined {
  try {
    return require.resolve(specifier)
  } catch {
    return undefined
  }
}
