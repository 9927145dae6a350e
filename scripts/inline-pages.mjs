import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { build, transform } from 'esbuild'
import { BROWSERS, PAGE_BUNDLE } from './page-bundle.mjs'

const from = (name) => `src/web/client/${name}`

/** Writes each page into a folder as a single file that contains its style and script and loads nothing. */
export async function buildInlinePages(folder, { minify }) {
  await mkdir(folder, { recursive: true })
  await Promise.all([
    writePage(`${folder}/map.html`, {
      page: 'chat/chat.html',
      script: 'chat/main.ts',
      styles: ['plain-map.css', 'chat/chat.css'],
      minify,
    }),
    writePage(`${folder}/file.html`, {
      page: 'file/file.html',
      script: 'file/main.tsx',
      styles: ['plain-map.css', 'file/file.css'],
      minify,
    }),
  ])
}

async function writePage(path, { page, script, styles, minify }) {
  const bundled = await build({
    bundle: true,
    platform: 'browser',
    target: BROWSERS,
    format: 'iife',
    charset: 'utf8',
    legalComments: 'none',
    minify,
    jsx: PAGE_BUNDLE.jsx,
    jsxImportSource: PAGE_BUNDLE.jsxImportSource,
    alias: PAGE_BUNDLE.alias,
    tsconfig: from('tsconfig.json'),
    entryPoints: [from(script)],
    write: false,
  })
  const code = bundled.outputFiles[0].text.trim()
  if (/<\/script|<!--/i.test(code)) throw new Error(`${script} holds what would end its element`)
  const texts = await Promise.all(styles.map((name) => readFile(from(name), 'utf8')))
  const style = (await transform(texts.join('\n'), { loader: 'css', minify, target: BROWSERS })).code.trim()
  const html = await readFile(from(page), 'utf8')
  // The replacements are functions, because `$` has a meaning in replacement strings.
  await writeFile(
    path,
    html
      .replace('SCRIPT-HASH', () => hashOf(code))
      .replace('STYLE-HASH', () => hashOf(style))
      .replace('/* styles */', () => style)
      .replace('/* script */', () => code),
  )
}

/** Returns the hash by which a content security policy allows an inline script or style. */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
