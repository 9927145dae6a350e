import { ProtocolError } from '@modelcontextprotocol/server'
import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { resolveNodes } from '../../app/names/resolve-nodes.ts'
import { trimFolder } from '../../app/scope.ts'
import { nearest } from '../../core/text/nearest.ts'
import { vaultOf } from '../calls/vault-arguments.ts'
import { ofThoseThatCan } from '../calls/vaults.ts'
import { INVALID_PARAMS, meant } from '../protocol-errors.ts'
import { answerWithSourcesPrompt } from './answer-with-sources.ts'
import type { Prompt, PromptArguments, PromptRequest } from './define-prompt.ts'
import { exploreHubsPrompt } from './explore-hubs.ts'
import { findGapsPrompt } from './find-gaps.ts'
import { summarizeNotePrompt } from './summarize-note.ts'
import { tracePathPrompt } from './trace-path.ts'
import { vaultPrompts } from './vault-prompts.ts'
import { weeklyReviewPrompt } from './weekly-review.ts'

/** The prompts that are always there, in the order in which they are listed. */
export const BUILT_IN: readonly Prompt[] = [
  exploreHubsPrompt,
  tracePathPrompt,
  summarizeNotePrompt,
  answerWithSourcesPrompt,
  findGapsPrompt,
  weeklyReviewPrompt,
]

/** Ours, then those of a folder of the vaults (none where it is empty), every one with a name of its own. */
export async function listPrompts(vaults: readonly GraphCore[], folder: string, call: Call): Promise<readonly Prompt[]> {
  if (trimFolder(folder) === '') return BUILT_IN
  const own = await ofThoseThatCan(vaults, (core) => vaultPrompts(core, folder, call))
  const taken = new Set(BUILT_IN.map(({ definition }) => definition.name))
  return [...BUILT_IN, ...own.flat().map((prompt) => withOwnName(prompt, taken))]
}

interface Got {
  readonly description?: string
  readonly messages: readonly [{ readonly role: 'user'; readonly content: { readonly type: 'text'; readonly text: string } }]
}

/**
 * A prompt with its arguments.
 * @throws ProtocolError −32602 for an unknown prompt, and for a missing or empty required argument
 */
export async function getPrompt(
  prompts: readonly Prompt[],
  { name, args }: { readonly name: string; readonly args: PromptArguments },
  { vaults, call, isOn }: { readonly vaults: readonly GraphCore[] } & Pick<PromptRequest, 'call' | 'isOn'>,
): Promise<Got> {
  const prompt = prompts.find(({ definition }) => definition.name === name)
  if (prompt === undefined) throw unknownPrompt(name, prompts)
  const { description } = prompt.definition
  const meant = await vaultNamedIn(prompt, checked(prompt, args), { vaults, call })
  const core = prompt.vault ?? meant.core
  const text = await inFirstThatFits(core === undefined ? vaults : [core], (one) =>
    prompt.text({ core: one, args: meant.args, call, isOn }),
  )
  return { ...(description === undefined ? {} : { description }), messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** The result of the first vault that accepts the arguments; otherwise the first error. */
async function inFirstThatFits(vaults: readonly GraphCore[], say: (core: GraphCore) => Promise<string>): Promise<string> {
  let first: unknown = new ProtocolError(INVALID_PARAMS, 'There is no vault that the prompt could be about.')
  for (const [at, core] of vaults.entries()) {
    try {
      return await say(core)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      if (at === 0) first = error
    }
  }
  throw first
}

/** The argument that is a folder, wherever there is one. */
const FOLDER = 'folder'

interface Meant {
  /** The vault that contains the notes and folders; absent if unknown. */
  readonly core?: GraphCore
  /** The arguments without its name. */
  readonly args: PromptArguments
}

/** Which vault the notes and the folder among the arguments begin with the name of; other texts are the user's own. */
async function vaultNamedIn(
  { noteArguments }: Prompt,
  args: PromptArguments,
  { vaults, call }: { readonly vaults: readonly GraphCore[]; readonly call: Call },
): Promise<Meant> {
  let meant: GraphCore | undefined
  const own: Record<string, string> = { ...args }
  for (const [key, value] of Object.entries(args)) {
    const isNote = noteArguments.includes(key)
    const core = vaults.find(({ name }) => name !== undefined && vaultOf(value, [name]) !== undefined)
    if (core?.name === undefined || (key !== FOLDER && !isNote)) continue
    // A title may begin like an id: "Work: plan".
    if (isNote && (await isName(value, vaults, call))) continue
    meant ??= core
    if (core === meant) own[key] = value.slice(core.name.length + 1)
  }
  return { ...(meant === undefined ? {} : { core: meant }), args: own }
}

/** Whether a note has exactly this name. */
async function isName(text: string, vaults: readonly GraphCore[], call: Call): Promise<boolean> {
  const asked = { names: [text], strategy: 'exact', threshold: 1 } as const
  const found = await ofThoseThatCan(vaults, (core) => resolveNodes(core, asked, call))
  return found.some(({ value: [only] }) => only?.match != null)
}

/** The declared arguments that were given; an empty text counts as absent. */
function checked({ definition }: Prompt, args: PromptArguments): PromptArguments {
  const declared = definition.arguments ?? []
  const given = Object.entries(args).filter(([, value]) => value.trim() !== '')
  const known = given.filter(([name]) => declared.some((one) => one.name === name))
  const missing = declared.filter(({ name, required }) => required === true && !known.some(([given]) => given === name))
  if (missing.length === 0) return Object.fromEntries(known)
  const names = missing.map(({ name }) => name)
  const near = nearest(
    names[0] ?? '',
    given.map(([name]) => name).filter((name) => !declared.some((one) => one.name === name)),
  )
  const hint = near.length === 0 ? '' : ` You gave ${near.join(', ')}.`
  throw new ProtocolError(INVALID_PARAMS, `The prompt ${definition.name} needs ${names.join(' and ')}.${hint}`, {
    missing: names,
  })
}

function unknownPrompt(name: string, prompts: readonly Prompt[]): ProtocolError {
  const near = nearest(
    name,
    prompts.map(({ definition }) => definition.name),
    3,
  )
  return new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 100)}.${meant(near)}`, { nearest: near })
}

/** Two notes may have names that differ only in punctuation. */
function withOwnName(prompt: Prompt, taken: Set<string>): Prompt {
  const { name } = prompt.definition
  let own = name
  for (let count = 2; taken.has(own); count += 1) own = `${name}-${count}`
  taken.add(own)
  return own === name ? prompt : { ...prompt, definition: { ...prompt.definition, name: own } }
}
