import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const from = (name) => join(root, 'src/web/client', name)

/** Files of the page that are sent as they are. */
export const PAGE_FILES = ['index.html', 'icon.svg'].map(from)

/** The oldest browsers that know what the page uses, such as light-dark() in its style. */
export const BROWSERS = ['chrome123', 'firefox128', 'safari17.5']

/** How esbuild bundles the page that "roux open" shows, the thread that it parses notes in, and what that reads formulas with, with nothing of the program in it. */
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
