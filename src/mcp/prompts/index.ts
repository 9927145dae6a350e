import { ProtocolError } from '@modelcontextprotocol/server'
import type { Call } from '../../app/answer.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { trimFolder } from '../../app/scope.ts'
import { vaultOf } from '../../app/vault-arguments.ts'
import { nearest } from '../../core/nearest.ts'
import { INVALID_PARAMS, meant } from '../protocol-errors.ts'
import { ofThoseThatCan } from '../vaults.ts'
import type { Prompt, PromptArguments } from './define-prompt.ts'
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
 * A prompt filled in.
 * @throws ProtocolError −32602 for a name that is none of these, and for a required argument that is missing or empty.
 */
export async function getPrompt(
  prompts: readonly Prompt[],
  { name, args }: { readonly name: string; readonly args: PromptArguments },
  { vaults, call }: { readonly vaults: readonly GraphCore[]; readonly call: Call },
): Promise<Got> {
  const prompt = prompts.find(({ definition }) => definition.name === name)
  if (prompt === undefined) throw unknownPrompt(name, prompts)
  const named = prompt.vault ?? vaultNamedIn(args, vaults)
  const { description } = prompt.definition
  const given = checked(prompt, args)
  const text = await inFirstThatFits(named === undefined ? vaults : [named], (core) =>
    prompt.text({ core, args: withoutName(given, core), call }),
  )
  return { ...(description === undefined ? {} : { description }), messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** What comes of the first vault in which the arguments fit something; the first one's error where they do in none. */
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

/** The vault whose name a value begins with. */
function vaultNamedIn(args: PromptArguments, vaults: readonly GraphCore[]): GraphCore | undefined {
  return vaults.find(
    ({ name }) => name !== undefined && Object.values(args).some((value) => vaultOf(value, [name]) !== undefined),
  )
}

function withoutName(args: PromptArguments, { name }: GraphCore): PromptArguments {
  if (name === undefined) return args
  const strip = (value: string): string => (vaultOf(value, [name]) === undefined ? value : value.slice(name.length + 1))
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, strip(value)]))
}

/** What was given of what is declared; an empty text is nothing given. */
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

/** Two notes may have names that differ in nothing but signs. */
function withOwnName(prompt: Prompt, taken: Set<string>): Prompt {
  const { name } = prompt.definition
  let own = name
  for (let count = 2; taken.has(own); count += 1) own = `${name}-${count}`
  taken.add(own)
  return own === name ? prompt : { ...prompt, definition: { ...prompt.definition, name: own } }
}
