import { providerError, reasonOf } from '../core/provider-error.ts'

/** The tested version. The package takes 470 MB and is therefore not installed with Roux. */
const INSTALL = '`npm install -g --ignore-scripts @huggingface/transformers@4.3.1`'

/** Error for an engine that is not installed. */
export function missingEngine(): Error {
  return providerError(
    'The embedder `transformers` needs the package @huggingface/transformers, which is not installed.',
    `${INSTALL} installs it; or set \`embedder.kind: static\`.`,
  )
}

export function brokenEngine(reason: string): Error {
  return providerError(`The package @huggingface/transformers cannot be loaded: ${reason}.`, `Install it again with ${INSTALL}.`)
}

/** Error for a model whose files cannot be used. */
export function damagedModel(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} could not be loaded: ${reasonOf(cause)}.`,
    'Delete its folder and get the model again; it must be an ONNX model for feature extraction.',
    cause,
  )
}

export function failedDownload(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} could not be downloaded: ${reasonOf(cause)}.`,
    'Check its name, that it has ONNX files, and the network; then run `roux index --download` again.',
    cause,
  )
}

/** Error for a model that does not embed text. */
export function failedModel(model: string, cause: unknown): Error {
  return providerError(
    `The model ${model} failed: ${reasonOf(cause)}.`,
    'Try again; if it stays so, set another `embedder.model`.',
    cause,
  )
}

/** Error for calls whose worker has ended. */
export function endedWorker(model: string, cause: unknown): Error {
  return providerError(
    `The worker of the model ${model} ended: ${reasonOf(cause)}.`,
    'Try again: it is restarted. If it keeps ending, there may be too little memory for this model.',
    cause,
  )
}
