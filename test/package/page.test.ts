import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { PAGE_BUNDLE, PAGE_FILES } from '../../scripts/page-bundle.mjs'

/** What the page may weigh without what draws the map, as it goes over a wire; and all of it in the package. */
const MOST = { gzipped: 60_000, whole: 600_000 }

async function bytesOf(external: readonly string[]): Promise<Uint8Array> {
  const { outputFiles = [] } = await build({
    ...PAGE_BUNDLE,
    minify: true,
    write: false,
    outdir: 'page',
    external: [...external],
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

test('the page is small', async () => {
  const [whole, withoutMap] = await Promise.all([bytesOf([]), bytesOf(['./map-view.ts'])])
  expect(withoutMap.length).toBeLessThan(whole.length)
  expect(gzipSync(withoutMap).length).toBeLessThan(MOST.gzipped)
  const files = PAGE_FILES.map((file) => readFileSync(file).length).reduce((sum, size) => sum + size, 0)
  expect(whole.length + files).toBeLessThan(MOST.whole)
})
