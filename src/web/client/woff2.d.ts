declare module '*.woff2' {
  const url: string
  // biome-ignore lint/style/noDefaultExport: esbuild gives a file this export
  export default url
}
