import * as z from 'zod/v4'

/** The part of the 2025-12-11 `server.json` schema that this project uses; anything else is refused. */
const input = {
  description: z.string().min(1).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).min(1).optional(),
}
const version = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text !== 'latest' && !/^[\^~<>=]|[x*]/.test(text), 'one version, no range')
const positional = z
  .strictObject({
    ...input,
    type: z.literal('positional'),
    valueHint: z.string().optional(),
    isRepeated: z.boolean().optional(),
  })
  .refine(({ value, valueHint }) => value !== undefined || valueHint !== undefined, 'value or valueHint')
const named = z.strictObject({
  ...input,
  type: z.literal('named'),
  name: z.string().min(1),
  isRepeated: z.boolean().optional(),
})
const argument = z.union([positional, named])

export const SERVER_JSON = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  description: z.string().min(1).max(100),
  version,
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string().min(1),
      version,
      runtimeHint: z.string().optional(),
      transport: z.strictObject({ type: z.literal('stdio') }),
      runtimeArguments: z.array(argument).optional(),
      packageArguments: z.array(argument).optional(),
      environmentVariables: z.array(z.strictObject({ ...input, name: z.string().regex(/^[A-Z_][A-Z0-9_]*$/) })).optional(),
    }),
  ),
})
