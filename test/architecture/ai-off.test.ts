import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Code that only serves models on servers. It is loaded when a model is asked, or when a person asks about models. */
const FOR_MODELS =
  /^(?:ai\/|outbound\/|app\/ask\/|app\/find\/suggest-tags|cli\/ai\/(?!tokens-today)|embed\/openai-embedder|workers\/(?:ai-desk|open-gate)\.ts)/
/** A program that uses the library chose it, so it may load everything. */
const LIBRARY = 'library/open-vault.ts'

/** The files that are evaluated before a file: its imports, except for type imports and `import()`. */
function evaluatedBefore(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (?!type )(?:[^'();]*? from )?'(\.[^']+)'/gm)]
  return imports.map(([, path = '']) => normalize(join(dirname(file), path)).replaceAll('\\', '/'))
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

test('code for models is not evaluated before it is needed', () => {
  const found = files
    .filter((file) => !FOR_MODELS.test(file) && file !== LIBRARY)
    .flatMap((file) => evaluatedBefore(file).flatMap((other) => (FOR_MODELS.test(other) ? [`${file} → ${other}`] : [])))
  expect(found).toEqual([])
})

test('the code for models exists, and imports between its parts are found', () => {
  const parts = files.filter((file) => FOR_MODELS.test(file))
  expect(parts.length).toBeGreaterThan(20)
  expect(evaluatedBefore('app/ask/ask.ts')).toContain('ai/prompt.ts')
  expect(evaluatedBefore(LIBRARY)).toContain('app/ask/chat.ts')
})
