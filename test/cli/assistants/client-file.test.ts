import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBackups, readClientFile, writeClientFile } from '../../../src/cli/assistants/client-file.ts'
import { temporaryFolder } from '../../support/temporary.ts'

test('does not overwrite a concurrent change, and leaves nothing behind', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'mcp.json')
  writeFileSync(path, '{}')
  const file = readClientFile(path)
  writeFileSync(path, '{"theirs":1}')
  expect(() => writeClientFile(file, '{"ours":1}')).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  expect(readFileSync(path, 'utf8')).toBe('{"theirs":1}')
  expect(readdirSync(folder)).toEqual(['mcp.json'])
})

test('does not overwrite a file that appeared in the meantime', () => {
  const path = join(temporaryFolder(), 'mcp.json')
  const file = readClientFile(path)
  writeFileSync(path, '{"theirs":1}')
  expect(() => writeClientFile(file, '{"ours":1}')).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  expect(readFileSync(path, 'utf8')).toBe('{"theirs":1}')
})

test('backups made at the same moment have different names, and the newest is read first', () => {
  const path = join(temporaryFolder(), 'mcp.json')
  const now = new Date('2026-11-21T09:15:00Z')
  const backups = ['1', '2', '3'].map((text) => writeClientFile(readClientFile(path), text, now))
  expect(backups.map((backup) => backup?.slice(path.length))).toEqual([
    undefined,
    '.roux-backup-20261121T091500000Z',
    '.roux-backup-20261121T091500000Z-2',
  ])
  expect(readBackups(readClientFile(path))).toEqual(['2', '1'])
})
