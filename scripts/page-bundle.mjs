import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const from = (name) => join(root, 'src/web/client', name)

/** The files of the page that are sent unchanged. */
export const PAGE_FILES = ['index.html', 'icon.svg'].map(from)

/** The oldest browsers that support the features of the page, such as light-dark() in its style. */
export const BROWSERS = ['chrome123', 'firefox128', 'safari17.5']

/**
 * The options with which esbuild bundles the page that "roux open" shows, the worker that parses its notes, and the code for
 * formulas. They contain nothing of the program.
 */
export const PAGE_BUNDLE = {
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  target: BROWSERS,
  format: 'esm',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: from('tsconfig.json'),
  loader: { '.woff2': 'file' },
  assetNames: '[name]',
  publicPath: '/web',
  alias: {
    'decode-named-character-reference': from('named-characters.ts'),
    '@ungap/structured-clone': from('structured-clone.ts'),
  },
  entryPoints: [
    { in: from('main.tsx'), out: 'page' },
    { in: from('page.css'), out: 'page' },
    { in: from('markdown-worker.ts'), out: 'markdown' },
    { in: from('formula.ts'), out: 'formula' },
  ],
}
