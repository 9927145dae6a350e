/** A line of Markdown as it reads: links as what they say, without marks and tags of HTML. */
export function plainLine(text: string): string {
  return (
    text
      .replace(/^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)?/, '')
      .replace(/!?\[\[(?:[^[\]|]*\\?\|)?([^[\]|]*)\]\]/g, '$1')
      .replace(/!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*\)/g, '$1')
      // An answer may have cut the address.
      .replace(/!?\[([^[\]]*)\]\([^()\s]*…$/, '$1…')
      .replace(/<\/?[a-z][^<>]*>/gi, '')
      .replace(/\*\*|__|`/g, '')
      .replace(/\s\^[\w-]+$/, '')
  )
}

/** A passage of Markdown as it reads, in one line. */
export function plainText(text: string): string {
  return text.split('\n').map(plainLine).join(' ').replace(/\s+/g, ' ').trim()
}
