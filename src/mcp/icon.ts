const SVG =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path d='M6 7l12-1M6 7l5 11M18 6l-7 12' stroke='#8a5a2b' stroke-width='2'/>" +
  "<g fill='#d9822b'><circle cx='6' cy='7' r='4'/><circle cx='18' cy='6' r='3'/><circle cx='11' cy='18' r='4'/></g></svg>"

/** The icon beside the name: three linked notes. */
export const ICON = {
  src: `data:image/svg+xml;base64,${Buffer.from(SVG).toString('base64')}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}
