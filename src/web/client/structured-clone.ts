// biome-ignore lint/style/noDefaultExport: the package that this replaces in the bundle has one
export default globalThis.structuredClone // Every supported browser has it, so the bundle needs no polyfill.
