import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { PAGE_BUNDLE, PAGE_FILES } from '../../scripts/page-bundle.mjs'

/** Size limits of the page: gzipped, without the map and formula code; and of everything in the package, and of its font. */
const MOST = { gzipped: 60_000, whole: 600_000, font: 180_000 }

/** The code that draws the map. */
const MAP = ['./map.tsx', './local-map.tsx', './map-shape.ts', './files-on-map.ts']

/** The files that esbuild makes for the page, by name. */
async function builtWith(external: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles = [] } = await build({
    ...PAGE_BUNDLE,
    minify: true,
    write: false,
    outdir: 'page',
    external: [...external],
  })
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0)

test('the page is small', async () => {
  const [whole, withoutMap] = await Promise.all([builtWith([]), builtWith(MAP)])
  const [scripts, styles, fonts] = ['.js', '.css', '.woff2'].map((end) =>
    [...whole.keys()].filter((name) => extname(name) === end).sort(),
  )
  const sizes = (names: readonly string[] = []): readonly number[] => names.map((name) => whole.get(name)?.length ?? 0)
  expect(scripts).toEqual(['formula.js', 'markdown.js', 'page.js'])
  expect(styles).toEqual(['page.css'])
  expect(withoutMap.get('page.js')?.length).toBeLessThan(whole.get('page.js')?.length ?? 0)
  const always = ['page.js', 'markdown.js'].map((name) => gzipSync(withoutMap.get(name) ?? '', { level: 9 }).length)
  expect(sum(always)).toBeLessThan(MOST.gzipped)
  const files = PAGE_FILES.map((file) => readFileSync(file).length)
  expect(sum([...files, ...sizes(scripts), ...sizes(styles)])).toBeLessThan(MOST.whole)
  expect(fonts).toHaveLength(4)
  expect(sum(sizes(fonts))).toBeLessThan(MOST.font)
})
