import { answer, type Call, plain } from '../../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { requireText } from '../../app/read/texts.ts'
import { toScope, trimFolder } from '../../app/scope.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Node } from '../../core/store.ts'
import { readAvailableVaults } from '../calls/vaults.ts'
import { BUILT_IN } from './built-in.ts'
import type { Prompt, PromptArgument, PromptArguments } from './prompts.ts'

const MAX_PROMPTS = 500

const PLACEHOLDER = /\{\{([^{}]+)\}\}/g

/** Lists the built-in prompts, then one prompt for each note in the folder. No two names are the same. */
export async function listPrompts(vaults: readonly GraphCore[], folder: string, call: Call): Promise<readonly Prompt[]> {
  if (trimFolder(folder) === '') return BUILT_IN
  const promptLists = await readAvailableVaults(vaults, (core) => vaultPrompts(core, folder, call))
  const usedNames = new Set(BUILT_IN.map(({ definition }) => definition.name))
  return [...BUILT_IN, ...promptLists.flat().map((prompt) => withOwnName(prompt, usedNames))]
}

/** Two notes can have the same prompt name, because prompt names contain no punctuation. */
function withOwnName(prompt: Prompt, usedNames: Set<string>): Prompt {
  const { name } = prompt.definition
  let uniqueName = name
  for (let count = 2; usedNames.has(uniqueName); count += 1) uniqueName = `${name}-${count}`
  usedNames.add(uniqueName)
  return uniqueName === name ? prompt : { ...prompt, definition: { ...prompt.definition, name: uniqueName } }
}

async function vaultPrompts(core: GraphCore, folder: string, call: Call): Promise<readonly Prompt[]> {
  const { value } = await answer(core, call, async (snapshot) => {
    const { items } = await snapshot.select(toScope({ folder }), { offset: 0, limit: MAX_PROMPTS })
    return plain(
      await snapshot.nodes(
        items.map(({ id }) => id),
        { links: 0 },
      ),
    )
  })
  return value.flatMap((node) => (node?.kind === 'note' ? [promptOf(core, node)] : []))
}

function promptOf(core: GraphCore, { id, path, title, properties }: Node): Prompt {
  const args = readArguments(properties.arguments)
  const { description } = properties
  return {
    definition: {
      name: slugOf(path ?? id),
      title,
      ...(typeof description === 'string' ? { description } : {}),
      ...(args.length === 0 ? {} : { arguments: args }),
    },
    source: { name: 'get_node' },
    noteArguments: [],
    async text({ args: given }) {
      const source = await core.store.read((snapshot) => requireText({ core, snapshot, call: {} }, id))
      return source === undefined ? '' : fill(source.text.slice(source.bodyStart), args, given)
    },
  }
}

/** Fills in all placeholders in one pass, so placeholders in arguments remain text. */
function fill(text: string, declared: readonly PromptArgument[], args: PromptArguments): string {
  const names = new Set(declared.map(({ name }) => name))
  const filled = text.replace(PLACEHOLDER, (placeholder, inside: string) => {
    const name = inside.trim()
    return names.has(name) ? (args[name] ?? '') : placeholder
  })
  return filled.trim()
}

/** Reads a list of names, or of maps with `name`, `description` and `required`. Other values are ignored. */
function readArguments(value: unknown): readonly PromptArgument[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const read = items.flatMap((item): readonly PromptArgument[] => {
    if (typeof item === 'string' && item.trim() !== '') return [{ name: item.trim() }]
    if (!isRecord(item) || typeof item.name !== 'string') return []
    const description = typeof item.description === 'string' ? { description: item.description } : {}
    return [{ name: item.name.trim(), ...description, ...(item.required === true ? { required: true } : {}) }]
  })
  return read.filter(({ name }, at) => name !== '' && read.findIndex((other) => other.name === name) === at)
}

function slugOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '')
  return (
    name
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'prompt'
  )
}
