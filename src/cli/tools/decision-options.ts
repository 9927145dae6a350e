import type { Option } from '../arguments.ts'

/** Options of tools' commands that are no parameters of the tool: by them a person decides what no client decides. See `decide.ts`. */
const DECISION_OPTIONS: ReadonlyMap<string, readonly Option[]> = new Map<string, readonly Option[]>([
  [
    'map',
    [
      {
        name: 'name',
        type: 'text',
        sentence: 'Call a community as you like, as in --name c4 "Sync"; with "", as its notes say.',
      },
    ],
  ],
  [
    'gaps',
    [
      {
        name: 'dismiss',
        type: 'text',
        sentence: 'Do not tell this gap again, as in --dismiss apart:c1,c4; once more takes that back.',
      },
    ],
  ],
  [
    'suggest_links',
    [
      { name: 'apply', type: 'flag', sentence: 'Go through them in a terminal, one by one, and make the links that you want.' },
      {
        name: 'dismiss',
        type: 'text',
        sentence: 'Do not suggest this link again, as in --dismiss from.md to.md; once more takes that back.',
      },
    ],
  ],
])

/** The options of a tool's command that are no parameters of the tool. */
export function decisionOptions(tool: string): readonly Option[] {
  return DECISION_OPTIONS.get(tool) ?? []
}
