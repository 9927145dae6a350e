import { parentPort } from 'node:worker_threads'
import { answer, type Call } from '../core/thread-calls.ts'
import type { DownloadProgress } from './embedder-settings.ts'
import { type FlatVectors, type ModelService, type ModelToOpen, type OpenedModel, openModelService } from './model-service.ts'

const port = parentPort
if (port === null) throw new Error('This file can only run as a worker.')

/** Calls wait for the last one, because the engine runs one batch at a time. */
let last: Promise<void> = Promise.resolve()

port.on('message', (call: Call) => {
  last = last.then(() => answer(service, call, (reply) => port.postMessage(reply)))
})

let model: ModelService | undefined

export type ModelWorkerService = typeof service

const service = {
  async open(toOpen: ModelToOpen, onProgress: (progress: DownloadProgress) => void): Promise<OpenedModel> {
    model = await openModelService(toOpen, onProgress)
    return model.opened
  },
  async embed(texts: readonly string[]): Promise<FlatVectors> {
    if (model === undefined) throw new Error('no model is open')
    return await model.embed(texts)
  },
  async close(): Promise<void> {
    await model?.close().catch(() => undefined)
    port.close()
  },
}
