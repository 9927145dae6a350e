import { expect, test } from 'vitest'
import { withoutThinking } from '../../src/ai/thinking.ts'

test.each([
  ['tags', '<think>Secret.</think>\nYes.', '\nYes.'],
  ['tags of another name', '<thought>Secret.</thought>Yes.', 'Yes.'],
  ['tags in between', 'Yes.<thinking>Secret.</thinking> It is.', 'Yes. It is.'],
  ['a closing tag alone', 'Secret, so\n</think>\n\nYes.', '\n\nYes.'],
  ['brackets', '[THINK]Secret.[/THINK]Yes.', 'Yes.'],
  ['signs', '◁think▷Secret.◁/think▷Yes.', 'Yes.'],
  ['channels', '<|channel|>analysis<|message|>Secret.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>', 'Yes.'],
  ['channels without their signs', 'analysisSecret.assistantfinalYes.', 'Yes.'],
  ['nothing', 'Yes, `<think>` is a tag.', 'Yes, `<think>` is a tag.'],
])('what a model thinks aloud is no answer: with %s', (_, text, answer) => {
  expect(withoutThinking(text)).toEqual({ answer, isThinking: false })
})

test.each(['<think>never ends', '<|channel|>analysis<|message|>never ends'])('%s is still thinking', (text) => {
  expect(withoutThinking(text)).toEqual({ answer: '', isThinking: true })
})
