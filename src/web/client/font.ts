import cyrillic from '@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2'
import greek from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2'
import latinExt from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2'
import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/** The font's files, each with its characters. The file with the most common characters is first. */
const FILES: readonly (readonly [url: string, unicodeRange: string])[] = [
  [latin, 'U+0-FF,U+131,U+152-153,U+2C6,U+2DC,U+2000-206F,U+20AC,U+2122,U+2190-2193,U+2212'],
  [latinExt, 'U+100-2FF,U+1D00-1EFF,U+20A0-20C0,U+2C60-2C7F,U+A720-A7FF'],
  [greek, 'U+370-3FF'],
  [cyrillic, 'U+400-45F,U+490-491,U+4B0-4B1,U+2116'],
]

/** Loads the page's font. The files are fetched as data, so the page's policy needs no source of fonts. */
export async function loadFont(): Promise<void> {
  for (const [url, unicodeRange] of FILES) {
    const bytes = await (await fetch(url)).arrayBuffer()
    document.fonts.add(await new FontFace('Inter Variable', bytes, { weight: '100 900', unicodeRange }).load())
  }
}
