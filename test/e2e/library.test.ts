import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type * as Library from '../../src/index.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { openAiSays, serve } from '../outbound/fake-servers.ts'
import type { Wire } from './support.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
type Tools = Readonly<Record<'search' | 'getNode' | 'createNode', (args: object) => Promise<Wire>>>
type Built = Omit<typeof Library, 'openVault'> & {
  openVault(...args: Parameters<typeof Library.openVault>): Promise<Library.OpenVault & Tools>
}
const { openVault } = (await import(join(ROOT, 'dist/lib/index.mjs'))) as Built

let scratch = ''
let vault = ''
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'roux-library-'))
  vault = join(scratch, 'vault')
  cpSync(join(ROOT, 'fixtures/demo'), vault, { recursive: true })
  for (const name of ['CACHE', 'STATE', 'CONFIG']) vi.stubEnv(`XDG_${name}_HOME`, scratch)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
})

test('every tool is a method of an open vault', async () => {
  const open = await openVault(vault, { watch: false })
  const camel = TOOLS.map(({ name }) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()))
  expect(Object.keys(open)).toEqual([...camel, 'ready', 'toGraphology', 'ai', 'status', 'close'])
  await open.close()
})

test('a vault returns full answers with their warnings, and checks arguments like tools', async () => {
  const open = await openVault(vault, { watch: false })
  await open.ready()
  const { value, warnings } = await open.search({ query: 'why is my bread so dense?', limit: 1 })
  expect(value.map(({ id }: Wire) => id)).toEqual(['faults/dense crumb.md'])
  expect(warnings).toEqual([])
  expect((await open.getNode({ id: 'no such note' })).value).toBeNull()
  await expect(open.search({ query: '', limt: 3 })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  await open.close()
})

test('notes can be changed only if allowed', async () => {
  const note = { id: 'journal/new', content: 'New.' }
  const closed = await openVault(vault, { watch: false, write: false })
  await expect(closed.createNode(note)).rejects.toMatchObject({ code: 'TOOL_DISABLED' })
  await closed.close()
  const open = await openVault(vault, { watch: false, write: true })
  await open.createNode(note)
  await open.close()
  expect(readFileSync(join(vault, 'Journal/new.md'), 'utf8')).toContain('New.')
})

test('a missing folder is reported at the first wait', async () => {
  const open = await openVault(join(scratch, 'none'), { watch: false })
  await expect(open.ready()).rejects.toMatchObject({ name: 'RouxError', code: 'VAULT_NOT_FOUND' })
  await open.close()
})

test('the example prints answers and backlinks', () => {
  const script = join(ROOT, 'examples/related-notes.mjs')
  const { stdout, stderr } = spawnSync(process.execPath, [script, vault, 'why is my bread so dense?'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(stdout).toContain('Dense crumb (faults/dense crumb.md)\n  Gluten (concepts/gluten.md)\n')
})

test('a plugin can search by question and by note, ask the configured model, and see its usage', async () => {
  const server = await serve(openAiSays({ thinking: 'Hm.', text: 'Let it rise longer.' }))
  const set = ['ai.enabled=true', 'ai.provider=openai', 'ai.model=fake', `ai.base_url=${server.baseUrl}`, 'ai.max_tokens=300']
  const open = await openVault(vault, { watch: false, set })
  await open.ready()
  const { value: chunks } = await open.ai.search({ query: 'why is my bread so dense?', relevance: 'strict' })
  expect(chunks[0]).toMatchObject({
    noteId: 'faults/dense crumb.md',
    title: 'Dense crumb',
    text: expect.stringContaining('dense'),
  })
  expect(chunks.map(({ score }) => score)).toEqual(chunks.map(({ score }) => score).toSorted((a, b) => b - a))
  const scoped = await open.ai.search({ query: 'why is my bread so dense?', scope: { folder: 'techniques' } })
  expect(scoped.value.every(({ noteId }) => noteId.startsWith('techniques/'))).toBe(true)
  for (const wrong of [
    { relevance: 'high' },
    { scope: 'note' },
    { scope: {} },
    { scope: { folder: 7 } },
    { query: {} },
    { query: null },
  ])
    await expect(open.ai.search({ query: 'why?', ...wrong } as never)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(`${Object.keys(wrong)[0]}: expected`),
    })
  const alike = await open.ai.search({ query: { noteId: 'faults/dense crumb' } })
  expect(alike.value.length).toBeGreaterThan(2)
  expect(alike.value.map(({ noteId }) => noteId)).not.toContain('faults/dense crumb.md')
  expect(alike.value.every(({ text, startLine }) => text !== '' && startLine > 0)).toBe(true)

  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Why dense?' },
  ] as const
  expect(await open.ai.chat(messages, { maxTokens: 9_000, temperature: 0.5 })).toEqual({
    text: 'Let it rise longer.',
    finish: 'stop',
    usage: { input: 100, output: 10, estimated: false },
    model: 'fake',
    location: 'local',
  })
  expect(server.requests[0]?.body).toMatchObject({ messages, max_tokens: 300, temperature: 0.5 })
  const usage = await open.ai.usage()
  expect(usage).toMatchObject([{ model: 'fake', feature: 'chat', requests: 1, input: 100, output: 10 }])
  for (const days of [0, 1.5, Number.NaN, 1e9])
    await expect(open.ai.usage(days)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  await expect(open.ai.chat([])).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  await expect(open.ai.chat(messages, { maxTokens: 0 })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  await open.close()
  const off = await openVault(vault, { watch: false })
  await expect(off.ai.chat(messages)).rejects.toMatchObject({ code: 'AI_DISABLED' })
  await off.close()
  expect(server.requests).toHaveLength(1)
})

test("the example plugin explains suggested tags, and checks the model's quotes", async () => {
  const server = await serve(
    openAiSays('It is under-fermented: "The first case is on record" and "never said by anyone at all".'),
  )
  const child = spawn(process.execPath, [join(ROOT, 'examples/note-plugin.mjs'), vault, 'faults/dense crumb'], {
    env: {
      ...process.env,
      ROUX_AI_ENABLED: 'true',
      ROUX_AI_PROVIDER: 'openai',
      ROUX_AI_MODEL: 'fake',
      ROUX_AI_BASE_URL: server.baseUrl,
    },
  })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    out += chunk
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  expect(code, out).toBe(0)
  expect(out).toMatch(/^Like it: .+/m)
  expect(out).toContain('in the note, line 19: The first case is on record')
  expect(out).toContain('NOT in the note: never said by anyone at all')
  expect(out).toContain('fake: 100 + 10 tokens')
})

const CONSUMER = `
import { openVault, type OpenVault, RouxError, type Warning } from 'roux'
const vault: OpenVault = await openVault('/notes', { write: true, set: ['vault.mode=docs'] })
const { value, warnings } = await vault.search({ query: 'q', mode: 'hybrid' })
export const first: string | undefined = value[0]?.title
export const said: readonly Warning[] = warnings
export const node: string = (await vault.getNode({ id: 'a' })).value?.title ?? ''
export const hint: string | undefined = new RouxError('CONFLICT', 'm').hint
const reply = await vault.ai.chat([{ role: 'user', content: 'q' }], { maxTokens: 9 })
export const said2: string = reply.text
const chunks = await vault.ai.search({ query: { noteId: 'a' }, scope: { tag: 't' }, relevance: 'loose' })
export const line: number | undefined = chunks.value[0]?.startLine
export const tokens: number | undefined = (await vault.ai.usage(1))[0]?.input
// @ts-expect-error a program picks no model
await vault.ai.chat([{ role: 'user', content: 'q' }], { model: 'm' })
// @ts-expect-error a parameter that there is not
await vault.search({ query: 'q', limt: 3 })
// @ts-expect-error a parameter that is missing
await vault.getNeighbors({})
// @ts-expect-error a value that is not one of those
await vault.search({ query: 'q', mode: 'fast' })
`

describe('the types in the package', () => {
  test.each([
    ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
    ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
  ])('are found and complete, resolved as %s, with no other package installed', (name, module, moduleResolution) => {
    const folder = join(scratch, name)
    const installed = join(folder, 'node_modules/roux')
    mkdirSync(installed, { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
    cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.js') })
    const file = join(folder, 'consumer.mts')
    writeFileSync(file, CONSUMER)
    const target = ts.ScriptTarget.ES2022
    // AbortSignal and Uint8Array come from the platform, whose declarations need not be checked.
    const libraries = { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [], skipDefaultLibCheck: true }
    const program = ts.createProgram([file], { module, moduleResolution, target, ...libraries, strict: true, noEmit: true })
    const told = ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
    expect(told).toEqual([])
  })
})
