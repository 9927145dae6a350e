/** A line of Markdown as it reads: links as what they say, without marks. */
export function plainLine(text: string): string {
  return text
    .replace(/!?\[\[(?:[^[\]|]*\\?\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
}

/** A passage of Markdown as it reads, in one line. */
export function plainText(text: string): string {
  return plainLine(text.replace(/(^|\n)\s*(?:#{1,6}|[-*+>]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/g, '$1')).replace(/\s+/g, ' ')
}
