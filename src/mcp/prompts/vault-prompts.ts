import type { Call } from '../../app/answer/answer-when-ready.ts'
import { answer, plain } from '../../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { requireText } from '../../app/read/texts.ts'
import { toScope } from '../../app/scope.ts'
import type { Node } from '../../core/store.ts'
import type { Prompt, PromptArgument, PromptArguments } from './define-prompt.ts'

/** How many notes of a folder are prompts. */
const MOST_PROMPTS = 500

/** `{{name}}` in the text of a note; a name has no braces. */
const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g

/** The notes of a folder as prompts, by id: what the user says is the note's text with the arguments filled in. */
export async function vaultPrompts(core: GraphCore, folder: string, call: Call): Promise<readonly Prompt[]> {
  const { value } = await answer(core, call, async (snapshot) => {
    const { items } = await snapshot.select(toScope({ folder }), { offset: 0, limit: MOST_PROMPTS })
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
    vault: core,
    async text({ args: given }) {
      const source = await core.store.read((snapshot) => requireText({ core, snapshot, call: {} }, id))
      return source === undefined ? '' : fill(source.text.slice(source.bodyStart), args, given)
    },
  }
}

/** Fills placeholders in one pass; inserted text is not scanned again. Unknown placeholders stay. */
function fill(text: string, declared: readonly PromptArgument[], given: PromptArguments): string {
  const names = new Set(declared.map(({ name }) => name))
  const filled = text.replace(PLACEHOLDER, (written, name: string) => (names.has(name) ? (given[name] ?? '') : written))
  return filled.trim()
}

/** A list of names, or of maps with `name`, `description` and `required`; anything else declares nothing. */
function readArguments(written: unknown): readonly PromptArgument[] {
  const items: readonly unknown[] = Array.isArray(written) ? written : []
  const read = items.flatMap((item): readonly PromptArgument[] => {
    if (typeof item === 'string' && item.trim() !== '') return [{ name: item.trim() }]
    if (typeof item !== 'object' || item === null || !('name' in item) || typeof item.name !== 'string') return []
    const description = 'description' in item && typeof item.description === 'string' ? { description: item.description } : {}
    return [
      { name: item.name.trim(), ...description, ...('required' in item && item.required === true ? { required: true } : {}) },
    ]
  })
  return read.filter(({ name }, at) => name !== '' && read.findIndex((other) => other.name === name) === at)
}

/** A name of letters, digits and `-`, from a file's name. */
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
