import { providerError, reasonOf } from '../core/errors.ts'

/** Command that installs the tested version. Roux does not include the package, because it takes up 470 MB. */
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

/** Returns the error for a model that cannot be loaded from its files. */
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

/** Returns the error for a model that was loaded but fails to embed text. */
export function failedModel(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} failed: ${reasonOf(cause)}.`,
    'Try again. If it keeps failing, set `embedder.model` to another model.',
    cause,
  )
}

/** Returns the error for calls whose worker ended before it answered. */
export function workerEndedError(model: string, cause: unknown): Error {
  return providerError(
    `The worker that runs the model ${model} ended: ${reasonOf(cause)}.`,
    'Try again; the worker will be restarted. If it keeps ending, there may not be enough memory for this model.',
    cause,
  )
}
