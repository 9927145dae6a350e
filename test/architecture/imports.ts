import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** All files of the program, as paths below `src/`. */
export const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))

/** The files that are evaluated before a file: its imports, except for type imports and `import()`. */
export function evaluatedBefore(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const imports = [...text.matchAll(/^(?:import|export) (?!type )(?:[^'();]*? from )?'(\.[^']+)'/gm)]
  return imports.map(([, path = '']) => normalize(join(dirname(file), path)).replaceAll('\\', '/'))
}
