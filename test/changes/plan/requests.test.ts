import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../src/core/operations.ts'
import { writable } from '../../support/writable-vault.ts'
import { check, type Difference, refuse } from './checked.ts'

const create = (id: string, content = ''): Operation => ({ kind: 'create', id, content })
const append = (id: string, text: string): Operation => ({ kind: 'update', id, append: text, updateLinks: false })
const move = (id: string, to: string): Operation => ({ kind: 'move', id, to })
const remove = (id: string): Operation => ({ kind: 'delete', id })
const folder = (path: string): Operation => ({ kind: 'createFolder', path })
const clone = (id: string, into: string): Operation => ({ kind: 'clone', id, folder: into })

describe('folders and copies', () => {
  test('creates a folder, or accepts an existing one', async () => {
    const { vault } = await check({ 'F/a.md': '' }, [folder('f/New/Deep/'), folder('F'), create('F/new/DEEP/x')], {
      'F/New/Deep/x.md': '',
    })
    expect(Object.keys(vault.snapshot())).toContain('F/New/Deep/')
    await refuse({ 'a.md': '' }, folder('a.md'), { code: 'NODE_EXISTS' })
    await refuse({ 'a.md': '' }, folder('A.md/b'), { code: 'NODE_EXISTS' })
    await refuse({}, folder('a?'), { code: 'INVALID_PARAMS', hint: 'Use "a-".' })
    await refuse({}, folder('/a'), { code: 'PERMISSION_DENIED' })
    await refuse({}, folder(''), { code: 'INVALID_PARAMS' })
  })

  test('a copy embeds the original and relates to it', async () => {
    const files = { 'F/a.md': 'A', 'g/x.md': '' }
    const expected = { 'g/a.md': '---\ncloneOf:\n  - "[[F/a]]"\n---\n![[F/a]]\n' }
    const { vault } = await check(files, clone('f/a', 'G'), expected)
    expect(await vault.edges()).toEqual(['g/a.md -> f/a.md x2'])
    await refuse(files, clone('f/a', 'F'), { code: 'NODE_EXISTS', hint: 'Choose another folder.' })
    await refuse(files, clone('nope', 'g'), { code: 'NODE_NOT_FOUND' })
    await refuse(files, clone('f/a', '../g'), { code: 'PERMISSION_DENIED' })
  })

  test('reports links that now lead to the copy', async () => {
    const { result } = await check({ 'f/g/a.md': '', 'b.md': '[[a]]' }, clone('f/g/a', '/'), { 'a.md': expect.any(String) })
    expect(result.dangling).toEqual([{ path: 'b.md', line: 1, text: 'a', reason: 'it now leads to "a.md"' }])
  })
})

describe('several operations in one request', () => {
  test.each([false, true])('each operation sees the results of the earlier ones (files settled: %s)', async (settled) => {
    const { vault, result } = await check(
      { 'x.md': '[[new]]' },
      [create('new', 'N [[x]]\n'), append('new', 'more'), move('new', 'f/moved'), move('x', 'f/y'), append('f/y', 'end')],
      { 'f/moved.md': 'N [[y]]\n\nmore\n', 'x.md': null, 'f/y.md': '[[moved]]\n\nend' },
      { settled },
    )
    expect(result.subjects).toEqual(['f/moved.md', 'f/moved.md', 'f/moved.md', 'f/y.md', 'f/y.md'])
    expect(await vault.edges()).toEqual(['f/moved.md -> f/y.md x1', 'f/y.md -> f/moved.md x1'])
  })

  test.each<[string, readonly Operation[], Difference]>([
    [
      'two notes swap names',
      [move('a', 'tmp'), move('b', 'a'), move('tmp', 'b')],
      { 'a.md': 'B [[b]]', 'b.md': 'A [[a]]', 'c.md': '[[b]] [[a]]' },
    ],
    [
      'one note takes the name of another',
      [move('a', 'f/x'), move('b', 'a')],
      { 'a.md': 'B [[x]]', 'b.md': null, 'f/x.md': 'A [[a]]', 'c.md': '[[x]] [[a]]' },
    ],
    [
      'three notes rotate, and one is edited',
      [move('a', 'tmp'), move('b', 'a'), move('c', 'b'), move('tmp', 'c'), append('c', 'more')],
      { 'a.md': 'B [[c]]', 'b.md': '[[c]] [[a]]', 'c.md': 'A [[a]]\n\nmore' },
    ],
    ['one note moves away and back', [move('a', 'tmp'), move('tmp', 'a')], {}],
  ])('a name that becomes free can be reused: %s', async (_, operations, expected) => {
    const { vault } = await check({ 'a.md': 'A [[b]]', 'b.md': 'B [[a]]', 'c.md': '[[a]] [[b]]' }, operations, expected)
    const linked = (await vault.edges()).filter((edge) => edge.includes('('))
    expect(linked, 'links that lead nowhere').toEqual([])
  })

  test('refuses other reuses of a name', async () => {
    const files = { 'a.md': 'A', 'b.md': 'B', 'p.png': 'P', 'q.png': 'Q' }
    const error = { code: 'NODE_EXISTS' }
    await refuse(files, [move('a', 'b')], error)
    await refuse(files, [remove('a'), create('a', 'new')], error)
    await refuse(files, [remove('a'), move('b', 'a')], error)
    await refuse(files, [move('p.png', 'tmp.png'), move('q.png', 'p.png')], error)
    await refuse(files, [move('a', 'tmp'), move('b', 'a'), remove('tmp')], {
      ...error,
      hint: expect.stringContaining('two separate requests'),
    })
  })

  test('moves a note into a folder that an earlier operation creates', async () => {
    await check({ 'a.md': 'A', 'b.md': '[[a]]' }, [folder('archive'), move('a', 'Archive')], {
      'a.md': null,
      'archive/a.md': 'A',
    })
  })

  test('creating and deleting a note leaves nothing', async () => {
    const { result } = await check({ 'a.md': '' }, [create('new'), remove('new')], {})
    expect(result.files).toEqual([])
  })

  test('does not report a link that a later operation fixes', async () => {
    const files = { 'a.md': '', 'b.md': '[[a]]' }
    const { result } = await check(files, [remove('a'), { kind: 'update', id: 'b', content: 'none', updateLinks: false }], {
      'a.md': null,
      '.trash/a.md': '',
      'b.md': 'none',
    })
    expect(result.dangling).toEqual([])
  })

  test('applies all or nothing, and names the failing operation', async () => {
    await refuse({ 'a.md': 'A', 'b.md': '[[a]]' }, [move('a', 'z'), append('b', 'x'), append('nope', 'y')], {
      code: 'NODE_NOT_FOUND',
      message: 'Operation 3: There is no note "nope".',
      hint: expect.any(String),
    })
  })

  test('a folder moves as a whole or not at all', async () => {
    const files = { 'f/a.md': 'A', 'b.md': '[[f/a]]' }
    await check(files, [move('f', 'g'), append('g/a', 'x'), append('b', 'y')], {
      'f/a.md': null,
      'g/a.md': 'A\n\nx',
      'b.md': '[[g/a]]\n\ny',
    })
    const error = { code: 'INVALID_PARAMS', hint: 'Make two separate requests.' }
    await refuse(files, [move('f', 'g'), move('g/a', 'a')], error)
    await refuse(files, [move('b', 'f/b'), move('f', 'g')], error)
    await refuse(files, [create('f/new'), move('f', 'g')], error)
    await refuse(files, [move('f', 'g'), folder('g/new')], error)
  })
})

describe('applying a plan', () => {
  test('makes exactly the changes that were shown', async () => {
    const vault = await writable({ 'a.md': 'A', 'b.md': '[[a]]' })
    const dry = await vault.write(move('a', 'f/c'), { dryRun: true })
    expect(dry.changeId).toBeUndefined()
    const { planId: _, ...shown } = dry
    const { changeId, ...done } = await vault.write([], { planId: dry.planId ?? '' })
    expect(done).toEqual(shown)
    expect(vault.files()).toEqual({ 'f/c.md': 'A', 'b.md': '[[c]]' })
    expect((await vault.writes.changes(1))[0]).toMatchObject({ id: changeId, title: 'test' })
    await expect(vault.write([], { planId: dry.planId ?? '' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `The plan "${dry.planId}" has already been carried out as change ${changeId}.`,
    })
  })

  test.each<[string, Operation, string, string]>([
    ['the note itself', append('a', 'x'), 'a.md', 'changed'],
    ['a linking note', move('a', 'f/c'), 'b.md', '[[a]] changed'],
    ['a new linking note', move('a', 'f/c'), 'new.md', '[[a]]'],
    ['a file in a moved folder', move('f', 'g'), 'f/new.md', ''],
  ])('fails if someone changes %s', async (_, operation, path, text) => {
    const vault = await writable({ 'a.md': 'A', 'b.md': '[[a]]', 'f/x.md': '' })
    const { planId = '' } = await vault.write(operation, { dryRun: true })
    vault.put(path, text)
    await vault.service.reconcile([path])
    const before = vault.snapshot()
    await expect(vault.write([], { planId })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(vault.snapshot()).toEqual(before)
  })

  test('an unknown plan is an error', async () => {
    const vault = await writable()
    await expect(vault.write([], { planId: 'x' })).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('files that changed since they were indexed', () => {
  test('edits the current text', async () => {
    const vault = await writable({ 'a.md': 'A', 'b.md': 'none' })
    vault.put('b.md', 'now [[a]]')
    await vault.write([append('b', 'x'), move('a', 'z')])
    expect(vault.text('b.md')).toBe('now [[z]]\n\nx')
  })

  test('rewrites the links of the current text if the index knows of one', async () => {
    const vault = await writable({ 'a.md': 'A', 'b.md': '[[a]]' })
    vault.put('b.md', 'moved down [[a]] and [[a|twice]]')
    await vault.write(move('a', 'z'))
    expect(vault.text('b.md')).toBe('moved down [[z]] and [[z|twice]]')
    expect(await vault.edges()).toEqual(['b.md -> z.md x2'])
  })

  test('a removed file is not found and does not block a move', async () => {
    const vault = await writable({ 'a.md': 'A', 'f/b.md': '[[a]]' })
    rmSync(join(vault.root, 'f/b.md'))
    await vault.write(move('a', 'z'))
    await expect(vault.write(append('f/b', 'x'))).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
    expect(vault.files()).toEqual({ 'z.md': 'A' })
  })

  test.skipIf(process.getuid?.() === 0)('an unreadable file is reported', async () => {
    const vault = await writable({ 'a.md': 'A' })
    chmodSync(join(vault.root, 'a.md'), 0)
    await expect(vault.write(append('a', 'x'))).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
  })
})
