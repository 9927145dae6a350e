import { variableOf } from './given.ts'
import { SECTIONS, SETTINGS, type Setting } from './settings-schema.ts'
import { describeType } from './values.ts'

export interface ToolSwitch {
  readonly name: string
  readonly title: string
}

export interface DocumentOptions {
  /** If true, every key is commented out. */
  readonly inactive?: boolean
  readonly without?: readonly string[]
}

/** Returns the text of a `roux.config.yaml` with all keys and default values. */
export function settingsDocument(tools: readonly ToolSwitch[], { inactive = false, without = [] }: DocumentOptions = {}): string {
  const entries = SETTINGS.flatMap((setting) => expand(setting, tools)).filter(({ key }) => !without.includes(key))
  const head = inactive
    ? '# Roux settings for this vault. Remove a # to set a key. The values shown are the defaults.\n'
    : '# All Roux settings with their defaults.\n'
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

export function settingsTable(): string {
  const rows = SETTINGS.map((setting) => {
    const { key, type, sentence } = setting
    const name = shownKey(key)
    const trust = setting.widensTrust ? ' ¹' : ''
    return [`\`${name}\`${trust}`, describeType(type), `\`${valueText(setting.default)}\``, `\`${variableOf(name)}\``, sentence]
  })
  const table = [['key', 'value', 'default', 'variable', 'meaning'], ['---', '---', '---', '---', '---'], ...rows]
  const lines = table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  return `${lines.join('\n')}\n\n¹ In a settings file in the vault or the working directory, this key is ignored until you run \`roux trust\`${exceptions()}.\n`
}

/** Replaces `*` with `<tool>` or `<name>`. */
export function shownKey(key: string): string {
  return key.replace('*', key.startsWith('tools.') ? '<tool>' : '<name>')
}

/** Lists the values that any file may set without trust. */
function exceptions(): string {
  const harmless = SETTINGS.flatMap((setting: Setting) => (setting.harmless ?? []).map((value) => `\`${setting.key}: ${value}\``))
  return harmless.length === 0 ? '' : `, except ${harmless.join(', ')}`
}

interface Entry {
  readonly key: string
  readonly sentence: string
  readonly values: string
  readonly value: string
  readonly isExample?: boolean
}

function expand(setting: Setting, tools: readonly ToolSwitch[]): readonly Entry[] {
  const { key, type, sentence } = setting
  const value = valueText(setting.default)
  if (key === 'vaults.*') return [{ key: 'vaults.work', sentence, values: '', value: '~/Documents/Work', isExample: true }]
  if (key.endsWith('.*'))
    return tools.map(({ name, title }) => ({ key: key.replace('*', name), sentence: `${title}.`, values: '', value }))
  return [{ key, sentence, values: type.kind === 'choice' ? ` Values: ${type.values.join(', ')}.` : '', value }]
}

function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
