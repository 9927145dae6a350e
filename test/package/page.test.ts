import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { PAGE_BUNDLE, PAGE_FILES } from '../../scripts/page-bundle.mjs'

/** Size limits of the page: gzipped, without the map and formula code; and of everything in the package. */
const MOST = { gzipped: 60 * 1024, whole: 600_000 }

/** The scripts of the page by name. */
async function scriptsOf(external: readonly string[]): Promise<Readonly<Record<string, Uint8Array>>> {
  const { outputFiles = [] } = await build({
    ...PAGE_BUNDLE,
    minify: true,
    write: false,
    outdir: 'page',
    external: [...external],
  })
  return Object.fromEntries(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0)

test('the page is small', async () => {
  const [whole, withoutMap] = await Promise.all([scriptsOf([]), scriptsOf(['./map-view.ts'])])
  expect(Object.keys(whole).sort()).toEqual(['formula.js', 'markdown.js', 'page.js'])
  expect(withoutMap['page.js']?.length).toBeLessThan(whole['page.js']?.length ?? 0)
  const always = ['page.js', 'markdown.js'].map((name) => gzipSync(withoutMap[name] ?? '', { level: 9 }).length)
  expect(sum(always)).toBeLessThan(MOST.gzipped)
  const files = PAGE_FILES.map((file) => readFileSync(file).length)
  expect(sum([...files, ...Object.values(whole).map(({ length }) => length)])).toBeLessThan(MOST.whole)
})
