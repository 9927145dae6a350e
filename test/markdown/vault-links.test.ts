import { expect, test } from 'vitest'
import { vaultLinksOf } from '../../src/markdown/vault-links.ts'

const links = (text: string) =>
  vaultLinksOf(text, { profile: 'lenient', mode: 'obsidian', comments: true }).map(
    ({ vault, file, line }) => `${line} ${vault} ${file}`,
  )

test.each([
  ['[x](obsidian://open?vault=work&file=Plan)', ['1 work Plan']],
  ['a\n\n[x](<obsidian://open?vault=My%20Work&file=a%2Fb%20c.md>)', ['3 My Work a/b c.md']],
  ['[x](obsidian://open/?file=Plan%23Heading&vault=work)', ['1 work Plan']],
  ['[x](obsidian://vault/work/a/b)', ['1 work a/b']],
  ['[x][r]\n\n[r]: obsidian://open?vault=work&amp;file=Plan', ['1 work Plan']],
  ['---\na: b\n---\n`[x](obsidian://open?vault=work&file=Plan)` [y](obsidian://open?vault=v&file=f)', ['4 v f']],
  ['```\n[x](obsidian://open?vault=work&file=Plan)\n```', []],
  ['[x](obsidian://open?vault=work) [y](obsidian://open?path=/etc/passwd) [z](obsidian://%E0%A4%A)', []],
  ['obsidian://open?vault=work&file=Plan', []],
])('%j', (text, expected) => {
  expect(links(text)).toEqual(expected)
})
