/** Returns a Markdown table. Cells may contain `|`. */
export function markdownTable(head, rows) {
  const cellsOf = (row) => row.map((cell) => String(cell).replaceAll('|', '\\|'))
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${cellsOf(row).join(' | ')} |`).join('\n')
}
