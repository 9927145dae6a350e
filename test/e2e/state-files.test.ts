import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from './support.ts'

const NUMBERS = Array.from({ length: 8 }, (_, at) => at)

test('concurrent processes can add and remove tokens without losing any', async () => {
  const { root, roux } = openWorld()
  for (const at of NUMBERS) await roux(['token', 'add', `old-${at}`])
  const ended = await Promise.all(
    NUMBERS.flatMap((at) => [roux(['token', 'remove', `old-${at}`]), roux(['token', 'add', `new-${at}`])]),
  )
  expect(ended.map(({ code, err }) => (code === 0 ? '' : err)).join('')).toBe('')
  const { tokens } = JSON.parse(readFileSync(join(root, 'state/roux/tokens.json'), 'utf8'))
  expect(tokens.map(({ name }: { name: string }) => name).sort()).toEqual(NUMBERS.map((at) => `new-${at}`))
  expect(readdirSync(join(root, 'state/roux'))).toEqual(['tokens.json'])
})

test('concurrent processes can trust folders without losing any', async () => {
  const { root, roux } = openWorld()
  const folders = NUMBERS.map((at) => join(root, `vault-${at}`))
  for (const folder of folders) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'roux.config.yaml'), 'tools:\n  write: true\n')
  }
  const ended = await Promise.all(folders.map((folder) => roux(['trust', folder])))
  expect(ended.map(({ code, err }) => (code === 0 ? '' : err)).join('')).toBe('')
  const { files } = JSON.parse(readFileSync(join(root, 'state/roux/trust.json'), 'utf8'))
  expect(Object.keys(files).sort()).toEqual(folders.map((folder) => join(folder, 'roux.config.yaml')))
})
