/** A line of Markdown as it reads: links as what they say, without marks. */
export function plainLine(text: string): string {
  return text
    .replace(/!?\[\[(?:[^[\]|]*\\?\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '')
}
