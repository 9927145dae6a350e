import fc from 'fast-check'

/** Pieces of CommonMark and GFM from which texts are mixed that remark can judge. */
const COMMON = [
  '[a](b)', '[a](<b c>)', '![i](p.png)', '[r]', '[r][]', '[x][r]', '[r]: u.md\n', '\n[r]: <v w> "t"\n', '`', '``', '```\n', '~~~\n', '````\n',
  '\n', '\n\n', '\n', '> ', '>', '- ', '* ', '1. ', '2) ', '  ', '    ', '\t', '   ', ' ', '<b>', '</b>', '<div>\n', '</div>\n', '<!--', '-->',
  '<a href="x">', '<!-- c -->', '<?', '?>', '<http://x.y>', '\\', '\\[', '\\]', '\\`', '*', '**', '_', 'a', 'b', 'text', '# ', '## ', '#', '===\n',
  '---\n', '- - -\n', '***\n', '|', '| a | b |\n', '|---|---|\n', '(', ')', '[', ']', '![', '](b)', '](', '"t"', '[a](b "t")', '[a]( b )', '&amp;',
  '[l\nm](n)', '[a](b\n"t")', '<pre>', '</pre>', '<script>', '[ ] ', '[a\\](b)', '[a](b(c)d)', '[^1]: ', '[^1]', '+ ', '10. ', '-', '<x y="z', '>',
  '[a](b)\n', '`[a](b)`', '\n    [a](b)\n', '\n\n    [a](b)\n', '\n- \n', '\n1.\n',
]

/** Pieces of what Obsidian, Dataview, Logseq and YAML add. */
const OWN = [
  '[[a]]', '[[', ']]', '![[', '[[a|b]]', '[[a\\|b]]', '[[#h]]', '#[[x]]', '$', '$$', '%%', '%%%%', '#t', '#', '^id', 'key:: ', '(k:: ', '[k:: ', '---\n', '---\n',
  'a: "[[b]]"\n', 'tags: [x, y]\n', 'up: [[a]]\n', 'title:: x\n', '\ufeff', '\r\n', '\r', '\0', '\ud83d', '\ude00', '😀', '==', '~~', '<a href="a.md">', 'é',
]

export const commonmark = fc.array(fc.constantFrom(...COMMON), { maxLength: 18 }).map((parts) => parts.join(''))

export const soup = fc.oneof(
  fc.array(fc.constantFrom(...COMMON, ...OWN, ...OWN), { maxLength: 24 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...OWN), { maxLength: 16 }).map((parts) => `---\n${parts.join('')}`),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
