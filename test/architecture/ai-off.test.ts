import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** What is there for models on servers alone: evaluated when one is asked, or a person asks about that. */
const FOR_MODELS =
  /^(?:ai\/|outbound\/|app\/ask\/|app\/find\/suggest-tags|cli\/ai\/(?!tokens-today)|embed\/openai-embedder|workers\/(?:ai-desk|open-gate)\.ts)/
/** A program that uses the library has said what it wants. */
const LIBRARY = 'library/open-vault.ts'

/** The files that a file has evaluated before itself: those of types alone, and those of `import()`, are not among them. */
function evaluatedBefore(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (?!type )(?:[^'();]*? from )?'(\.[^']+)'/gm)]
  return imports.map(([, path = '']) => normalize(join(dirname(file), path)).replaceAll('\\', '/'))
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

test('nothing that asks models, or reads what they answer, is evaluated before it is needed', () => {
  const found = files
    .filter((file) => !FOR_MODELS.test(file) && file !== LIBRARY)
    .flatMap((file) => evaluatedBefore(file).flatMap((other) => (FOR_MODELS.test(other) ? [`${file} → ${other}`] : [])))
  expect(found).toEqual([])
})

test('the parts for models are there, and reach each other', () => {
  const parts = files.filter((file) => FOR_MODELS.test(file))
  expect(parts.length).toBeGreaterThan(20)
  expect(evaluatedBefore('app/ask/ask.ts')).toContain('ai/prompt.ts')
  expect(evaluatedBefore(LIBRARY)).toContain('app/ask/chat.ts')
})
