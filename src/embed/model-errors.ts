import { providerError, reasonOf } from '../core/provider-error.ts'
import { ModelWorkerError } from './model-worker.ts'

/** The version that was tested; it brings some 470 MB, which is why it is not installed with Roux. */
const INSTALL = '`npm install -g --ignore-scripts @huggingface/transformers@4.3.1`'

/** The error of an engine that is not installed. */
export function missingEngine(cause?: unknown): Error {
  return providerError(
    'The embedder `transformers` needs the package @huggingface/transformers, which is not installed.',
    `${INSTALL} installs it; or set \`embedder.kind: static\`.`,
    cause,
  )
}

/** @throws RouxError `PROVIDER_ERROR` when a model's vectors are of another length than expected; `undefined` expects none. */
export function checkDimensions(model: string, actual: number, expected: number | undefined): void {
  if (expected === undefined || actual === expected) return
  throw providerError(
    `The model ${model} makes vectors of ${actual} dimensions, and ${expected} were expected.`,
    `Set \`embedder.dimensions\` to ${actual}, or leave it out.`,
  )
}

/** The error of a model whose files cannot be used. */
export function damagedModel(model: string, reason: string, cause?: unknown): Error {
  return providerError(
    `The model ${model} could not be loaded: ${reason}.`,
    'Delete its folder and get the model again; it must be an ONNX model for feature extraction.',
    cause,
  )
}

/** A worker's failure in the words of someone who can do something about it; other errors stay as they are. */
export function explainFailure(error: unknown, model: string): unknown {
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
