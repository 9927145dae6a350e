import type { FixturePrompt } from './fixtures.ts'
import { PNG, text } from './samples.ts'

const user = <Content>(content: Content) => ({ role: 'user' as const, content })

export const PROMPTS: readonly FixturePrompt[] = [
  {
    definition: { name: 'test_simple_prompt', description: 'Fixture without arguments.' },
    get: async () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  {
    definition: {
      name: 'test_prompt_with_arguments',
      description: 'Fixture with arguments.',
      arguments: ['arg1', 'arg2'].map((name) => ({ name, description: name, required: true })),
    },
    get: async ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
    complete: async (_, typed) => {
      const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(typed))
      return { values, total: values.length, hasMore: false }
    },
  },
  {
    definition: {
      name: 'test_prompt_with_embedded_resource',
      description: 'Fixture with a resource.',
      arguments: [{ name: 'resourceUri', description: 'The resource.', required: true }],
    },
    get: async ({ resourceUri = '' }) => ({
      messages: [
        user({
          type: 'resource' as const,
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  {
    definition: { name: 'test_prompt_with_image', description: 'Fixture with a picture.' },
    get: async () => ({
      messages: [
        user({ type: 'image' as const, data: PNG, mimeType: 'image/png' }),
        user(text('Please analyze the image above.')),
      ],
    }),
  },
]
