import type { BuildOptions } from 'esbuild'

export const PAGE_FILES: readonly string[]
export const PAGE_BUNDLE: BuildOptions
