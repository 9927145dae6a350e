import { variableOf } from './given.ts'
import { SECTIONS, SETTINGS, type Setting } from './settings-schema.ts'
import { describeType } from './values.ts'

/** A tool as the settings name it. */
export interface ToolSwitch {
  readonly name: string
  /** Its purpose, in a few words. */
  readonly title: string
}

export interface DocumentOptions {
  /** Every key behind a `#`: the file sets nothing until someone edits it. */
  readonly inactive?: boolean
  /** Keys to leave out. */
  readonly without?: readonly string[]
}

/** The text of a `roux.config.yaml` with every key, its default and what it means. */
export function settingsDocument(tools: readonly ToolSwitch[], { inactive = false, without = [] }: DocumentOptions = {}): string {
  const entries = SETTINGS.flatMap((setting) => expand(setting, tools)).filter(({ key }) => !without.includes(key))
  const head = inactive
    ? '# Settings of Roux for this vault. Take away a # to set a key; what is shown is the default.\n'
    : '# Settings of Roux: every key with its default.\n'
  const parts = Object.entries(SECTIONS).map(([section, sentence]) => {
    const lines = entries
      .filter(({ key }) => key.startsWith(`${section}.`))
      .flatMap(({ key, sentence, values, value, isExample = false }) => [
        `  # ${sentence}${values}`,
        `  ${inactive || isExample ? '# ' : ''}${key.slice(section.length + 1)}: ${value}`,
      ])
    return `\n# ${sentence}\n${section}:\n${lines.join('\n')}\n`
  })
  return head + parts.join('')
}

/** The settings as a table in Markdown. */
export function settingsTable(): string {
  const rows = SETTINGS.map((setting) => {
    const { key, type, sentence } = setting
    const name = shownKey(key)
    const trust = setting.widens ? ' ¹' : ''
    return [`\`${name}\`${trust}`, describeType(type), `\`${written(setting.default)}\``, `\`${variableOf(name)}\``, sentence]
  })
  const table = [['key', 'value', 'default', 'variable', 'meaning'], ['---', '---', '---', '---', '---'], ...rows]
  const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return `${lines.join('\n')}\n\n¹ From a file in the vault or the working directory only after \`roux trust\` was said for it${exceptions()}.\n`
}

/** A key as people read it: what stands in the place of `*`, the name of a tool or a vault, is said. */
export function shownKey(key: string): string {
  return key.replace('*', key.startsWith('tools.') ? '<tool>' : '<name>')
}

/** Values that are accepted from any file although their key is not. */
function exceptions(): string {
  const taken = SETTINGS.flatMap((setting: Setting) => (setting.harmless ?? []).map((value) => `\`${setting.key}: ${value}\``))
  return taken.length === 0 ? '' : `; ${taken.join(' and ')} are taken all the same`
}

interface Entry {
  readonly key: string
  readonly sentence: string
  /** The values to choose from, as a sentence of its own. */
  readonly values: string
  readonly value: string
  /** Nothing holds by default: a line to begin with. */
  readonly isExample?: boolean
}

function expand(setting: Setting, tools: readonly ToolSwitch[]): readonly Entry[] {
  const { key, type, sentence } = setting
  const value = written(setting.default)
  if (key === 'vaults.*') return [{ key: 'vaults.work', sentence, values: '', value: '~/Documents/Work', isExample: true }]
  if (key.endsWith('.*'))
    return tools.map(({ name, title }) => ({ key: key.replace('*', name), sentence: `${title}.`, values: '', value }))
  return [{ key, sentence, values: type.kind === 'choice' ? ` Values: ${type.values.join(', ')}.` : '', value }]
}

function written(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
