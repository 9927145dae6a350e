import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inspectModelFolder, placeModel } from '../../src/embed/model-engine.ts'
import { modelFolder } from './support.ts'

test('a model that looks like a path is a folder', () => {
  expect(placeModel('/models/a', '/cache')).toEqual({ folder: '/models/a' })
  expect(placeModel('./a', '/cache')).toEqual({ folder: resolve('a') })
  expect(placeModel('../a/b', '/cache')).toEqual({ folder: resolve('../a/b') })
  expect(placeModel('~/a', '/cache')).toEqual({ folder: join(homedir(), 'a') })
})

test('any other model is an id on the hub', () => {
  expect(placeModel('Xenova/all-MiniLM-L6-v2', '/cache')).toEqual({
    folder: '/cache/Xenova/all-MiniLM-L6-v2',
    hubId: 'Xenova/all-MiniLM-L6-v2',
  })
})

test('an id does not mean a folder in the working directory', () => {
  const folder = modelFolder({})
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(dirname(folder))
  const name = basename(folder)
  expect(placeModel(name, '/cache')).toEqual({ folder: `/cache/${name}`, hubId: name })
  expect(placeModel(`./${name}`, '/cache')).toEqual({ folder })
})

test.each(['', 'a/b/c', 'a b', 'a/..', 'a/b..c', 'http://x/y', '-a'])('%j is neither a path nor an id', (model) => {
  expect(() => placeModel(model, '/cache')).toThrow(expect.objectContaining({ code: 'PROVIDER_ERROR' }))
})

test('prefers 8-bit weights and accepts others', () => {
  const both = { 'onnx/model.onnx': 'x', 'onnx/model_fp16.onnx': 'x' }
  expect(inspectModelFolder(modelFolder({}, both))).toEqual({ precision: 'q8' })
  expect(inspectModelFolder(modelFolder({}, { ...both, 'onnx/model_quantized.onnx': undefined }))).toEqual({ precision: 'fp32' })
})
