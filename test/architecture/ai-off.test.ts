import { expect, test } from 'vitest'
import { evaluatedBefore, files } from './imports.ts'

/** Code that only serves models on servers. It is loaded when a model is asked, or when a person asks about models. */
const FOR_MODELS =
  /^(?:ai\/|outbound\/|app\/ask\/|app\/find\/suggest-tags|cli\/ai\/|embed\/openai-embedder|workers\/(?:ai-desk|open-gate)\.ts)/
/** A program that uses the library chose it, so it may load everything. */
const LIBRARY = 'library/open-vault.ts'

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
