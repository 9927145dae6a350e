/**
 * A text that compares by code points, as Neo4j does, as the text itself does by code units, as everything above the port does: they differ
 * only beyond U+D7FF, and most texts stay as they are.
 */
export function sortable(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => `\ud7ff${unit.charCodeAt(0).toString(16)}`)
}
