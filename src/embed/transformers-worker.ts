import { parentPort } from 'node:worker_threads'
import { reasonOf } from '../core/provider-error.ts'
import type { FromModelWorker, ToModelWorker } from './model-messages.ts'
import { type ModelService, ModelServiceError, openModelService } from './model-service.ts'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

let service: ModelService | undefined
/** The engine runs one batch at a time: requests wait for each other. */
let last: Promise<void> = Promise.resolve()

port.on('message', (request: ToModelWorker) => {
  last = last.then(() => serve(request))
})

async function serve(request: ToModelWorker): Promise<void> {
  if (request.type === 'close') {
    await service?.close().catch(() => undefined)
    port?.close()
    return
  }
  try {
    if (request.type === 'open') await open(request)
    else await embed(request)
  } catch (error) {
    const at = error instanceof ModelServiceError ? error.at : 'run'
    send({ type: 'failed', id: request.id, failure: { at, message: reasonOf(error) } })
  }
}

async function open({ id, model }: Extract<ToModelWorker, { type: 'open' }>): Promise<void> {
  service = await openModelService(model, (progress) => send({ type: 'progress', progress }))
  send({ type: 'opened', id, opened: service.opened })
}

async function embed({ id, texts }: Extract<ToModelWorker, { type: 'embed' }>): Promise<void> {
  if (service === undefined) throw new ModelServiceError('run', 'no model is open')
  const vectors = await service.embed(texts)
  send({ type: 'embedded', id, vectors }, [vectors.values.buffer as ArrayBuffer])
}

function send(message: FromModelWorker, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}
