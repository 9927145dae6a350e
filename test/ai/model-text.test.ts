import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRepeats, withoutThinking } from '../../src/ai/model-text.ts'

test.each([
  ['tags', '<think>Secret.</think>\nYes.', '\nYes.'],
  ['differently named tags', '<thought>Secret.</thought>Yes.', 'Yes.'],
  ['tags in the middle', 'Yes.<thinking>Secret.</thinking> It is.', 'Yes. It is.'],
  ['only a closing tag', 'Secret, so\n</think>\n\nYes.', '\n\nYes.'],
  ['brackets', '[THINK]Secret.[/THINK]Yes.', 'Yes.'],
  ['symbols', '◁think▷Secret.◁/think▷Yes.', 'Yes.'],
  ['channels', '<|channel|>analysis<|message|>Secret.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>', 'Yes.'],
  ['channels without their markers', 'analysisSecret.assistantfinalYes.', 'Yes.'],
  ['nothing', 'Yes, `<think>` is a tag.', 'Yes, `<think>` is a tag.'],
])("removes the model's thinking: %s", (_, text, answer) => {
  expect(withoutThinking(text)).toEqual({ answer, isThinking: false })
})

test.each(['<think>never ends', '<|channel|>analysis<|message|>never ends'])('%s is read as unfinished thinking', (text) => {
  expect(withoutThinking(text)).toEqual({ answer: '', isThinking: true })
})

const start = fc.string({ maxLength: 400 })
const unit = fc.string({ minLength: 1, maxLength: 60 })

test('a text that ends in endless repetition is cut after the first repeat', () => {
  fc.assert(
    fc.property(start, unit, (before, said) => {
      const text = before + said.repeat(Math.max(10, Math.ceil(400 / said.length)))
      const end = findRepeats(text)
      expect(end).toBeDefined()
      const kept = text.slice(0, end)
      expect(kept.length).toBeLessThan(before.length + 2 * said.length)
      expect(text.startsWith(kept)).toBe(true)
    }),
  )
})

test('a few repetitions are a normal answer', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 40 }), unit, fc.integer({ min: 0, max: 5 }), (text, said, times) => {
      expect(findRepeats(text + said.repeat(times))).toBeUndefined()
    }),
  )
})

test.each([
  ['an empty text', ''],
  ['a table', `| flour | water |\n| ${'-'.repeat(80)} | ${'-'.repeat(80)} |\n| 500 g | 350 g |`],
  ['a list of days', Array.from({ length: 60 }, (_, day) => `- day ${day + 1}: feed the starter`).join('\n')],
])('%s is not endless repetition', (_, text) => {
  expect(findRepeats(text)).toBeUndefined()
})
