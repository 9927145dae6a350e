import type { Settings } from '../config/settings.ts'
import { matchAny } from '../vault/ignore-rules.ts'

type AiSettings = Settings['ai']
type PathTest = (path: string) => boolean

export function mayLeave({ allow, deny }: Pick<AiSettings, 'allow' | 'deny'>): PathTest {
  const allowedTests = allowLists(allow).map((globs) => anyOf(globs, false))
  const isDenied = anyOf(deny, true)
  return (path) => allowedTests.every((fits) => fits(path)) && !isDenied(path)
}

/** @returns `undefined` if no server is used, so all files may be embedded */
export function mayEmbed({ kind }: Pick<Settings['embedder'], 'kind'>, ai: () => AiSettings): PathTest | undefined {
  if (kind !== 'openai') return undefined
  let cached: { readonly ai: AiSettings; readonly test: PathTest } | undefined
  return (path) => {
    const now = ai()
    if (cached?.ai.allow !== now.allow || cached.ai.deny !== now.deny) cached = { ai: now, test: mayLeave(now) }
    return cached.test(path)
  }
}

export function unusedPatterns({ allow, deny }: Pick<AiSettings, 'allow' | 'deny'>, paths: readonly string[]): readonly string[] {
  const unused = (key: string, globs: readonly string[], nocase: boolean): readonly string[] =>
    globs.flatMap((glob) => (paths.some(anyOf([glob], nocase)) ? [] : [`${key}: ${JSON.stringify(glob)}`]))
  return [...unused('ai.allow', allowLists(allow).flat(), false), ...unused('ai.deny', deny, true)]
}

/** Splits `ai.allow` by settings file. A path must match an entry of each. */
function allowLists(allow: readonly string[]): readonly (readonly string[])[] {
  const lists: string[][] = [[]]
  for (const glob of allow) {
    if (glob === '') lists.push([])
    else lists.at(-1)?.push(glob)
  }
  return lists.filter((list) => list.length > 0)
}

function anyOf(globs: readonly string[], nocase: boolean): PathTest {
  const matches = matchAny(globs.flatMap(readingsOf), nocase)
  return (path) => matches(path, false)
}

/** Returns the readings of a glob: `/a`, `./a`, `a/` and `a\\` all mean `a` and its contents. */
function readingsOf(glob: string): readonly string[] {
  // A backslash separates folders on Windows; elsewhere, it escapes the next character.
  return [...new Set([glob, glob.replaceAll('\\', '/')])].flatMap((pattern) => {
    const path = pattern
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/')
    return path === '' ? ['**'] : [path, `${path}/**`]
  })
}
