import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A name in two normal forms: two files on disk, one name to people. */
const COMPOSED = 'Caf\u00e9'
const DECOMPOSED = 'Cafe\u0301'

/** Notes on which engines have differed or may differ: order, case, normal forms, special characters, values of every kind. */
const FILES: Readonly<Record<string, string>> = {
  '.obsidian/app.json': '{"userIgnoreFilters": ["hidden/"]}',
  'Home.md':
    '---\naliases: [Start, "The: home", Élan]\ntags: [Root, root/Sub, über/Ärger, "#x"]\nup: "[[Upper]]"\n---\n# Home\n\nSee [[Upper]], [[upper#Part One]], [[Upper#No such part]], [[Upper#^block-1]], [[Upper#^none]], ![[pic.png]], [[Nowhere]], [[nowhere]], [[No-where]].\n\n- [ ] open task with [[Nowhere]]\n- [x] done task\n- [-] cancelled\n',
  'Upper.md':
    '---\nup: "[[Home]]"\nrank: 10\n---\n# Part One\n\nText of part one. ^block-1\n\n## Inner\n\nInner text, [[Home|the home]].\n\n# Part Two\n\nThe end. #inline/Nested\n',
  // Names with the same folded form, and ids beyond the basic plane next to some just below it.
  'Twin.md': 'A twin, [[twin]] and [[Alone]].',
  'twin.md': 'The other twin, [[TWIN]].',
  'TWIN.md': 'A third.',
  [`${COMPOSED}.md`]: `Composed, [[${DECOMPOSED}]].`,
  [`Other/${DECOMPOSED}.md`]: `Decomposed, [[${COMPOSED}]]. #${DECOMPOSED}`,
  'Signs/😀 smile.md': '---\ntags: [emoji/😀]\n---\nAn emoji, 😀 and [[\uff21 wide]].',
  'Signs/\uff21 wide.md': 'A wide letter, [[😀 smile]]. 漢字 と カタカナ, 日本語の文章です。',
  'Signs/\uffee.md': 'Just below.',
  'Signs/a+b (c) [d] {e} ~f^2.md': '[[C++]] and `C++` \\ "quoted" AND OR NOT a:b * ? /regex/ <x>',
  "Signs/it's $vault `x` \u2019q\u2019.md": 'Quotes: \'single\' "double" `tick` $vault $ids \\u0041.',
  'Signs/C++.md':
    '---\naliases: ["c plus plus", "--", "+"]\n---\nhasTag() app.vault.read Ctrl+Shift+I #MOC snake_case_word kebab-case-word 3.14 1,000',
  'Signs/Straße ΟΔΟΣ.md': 'Die Straße, ΟΔΟΣ, ος, İstanbul, ﬁne ligature, co\u00adop. [[STRASSE ΟΔΟΣ]] [[straße οδος]]',
  'Values/one.md':
    '---\nrank: 1\ndue: 2024-01-01\nstate: Open\nlist: [b, a, B, 1]\nflag: true\nempty:\nnested: {a: 1, b: [x]}\n"odd key: x": y\ncreated: 2024-01-01\nÜmlaut: ja\n---\nOne [[two]].\n\ninline:: [[three]]\nrank:: 5',
  'Values/two.md':
    '---\nRank: "2"\ndue: "2024-02-30"\nstate: open\nlist: []\nflag: "true"\nrel: ["[[one]]", "[[Nowhere]]"]\nRel2: "[[one|x]] and [[three]]"\nmodified: 2023-05\n---\nTwo [[one]] [[one]] [[one#x]].',
  'Values/three.md':
    '---\nrank: -1.5e3\ndue: "[[2024-03-05]]"\nstate: ""\nlist: a\nflag: no\ndate: 1999\n---\nThree %%[[one]]%% [[hidden/secret]].',
  'Values/four.md':
    '---\nrank: 10\ndue: 2024-01-01T10:00:00Z\nstate: "  Open "\nlist: [[x, y], z]\nrank2: .inf\nzero: "a\\0b"\nzero2: "a\\0"\nlong: ' +
    'x'.repeat(300) +
    '\n---\nFour.',
  'Values/five.md':
    '---\nrank: 9007199254740993\ndue: 24-1-1\nDUE2: 2024-W05\nstate: OPEN\nlist: ["", null, 0, false]\n---\nFive #tag-5 #5 #5a',
  'Values/archived.md': '---\narchived: true\nrank: 3\ntags: old\n---\nArchived [[one]], archived words.',
  'Old/gone by.md': 'Only this is in here. #archived',
  'Old/Deep/er/down.md': '---\narchived: yes\n---\nDeep [[Home]].',
  'hidden/secret.md': 'Hidden, links [[Home]] and [[Wanted by hidden]].',
  'hidden/Alone.md': 'Another one of that name.',
  'A/Alone.md': 'First [[Alone]].',
  'B/Alone.md': 'Second [[Alone]] [[A/Alone]] ![[Alone]].',
  'B/C.md': 'In B. [[c]] [[#Heading]] [[]] [x](Alone.md#top) [y](../Values/one.md "t") <a href="../Home.md">h</a>',
  'b/D.md': 'In another b. #B #b/c',
  'BC/E.md': 'Begins with the same letters.',
  'board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"Home.md","x":0,"y":0,"width":1,"height":1},{"id":"2","type":"text","text":"Card [[Upper]] [[Nowhere]] #card words of a card","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'pic.png': 'no picture',
  'Files/data.csv': 'a,b',
  'Files/Uses.md': '![[data.csv]] ![[pic.png]] [[missing.pdf]] [[board.canvas]] [[board]]',
  'Empty.md': '',
  'Only front.md': '---\ntitle: A title of its own\n---\n',
  'Bad front.md': '---\na: [unclosed\nb: @x\n---\nBody [[Home]].',
  'No end.md': '---\na: 1\nno end [[Home]]',
  'Upper (conflicted copy 2024-01-01).md': 'A copy of [[Upper]].',
  'Upper.sync-conflict-20240101-120000-ABCDEFG.md': 'Another.',
  'Long.md': `# Long\n\n${'word '.repeat(3_000)}\n\n${'y'.repeat(400)} [[Home]] 😀${'z😀'.repeat(200)}`,
  'Many links.md': Array.from({ length: 130 }, (_, at) => `[[Target ${at % 65}]] [[Home|${at}]]`).join('\n'),
  'untitled 1.md': '[[untitled 2]]',
  'untitled 2.md': '[[untitled 3]]',
  'untitled 3.md': '[[untitled 1]]',
  'untitled 10.md': 'Not linked at all.',
}

/** A chain of notes longer than any useful path. */
const CHAIN = 60

/** Writes the vault. All files have the same times, so that sorting by time falls back to the next criterion. */
export function writeCornerVault(vault: string): void {
  const chain = Array.from({ length: CHAIN }, (_, at) => [`Chain/c${at}.md`, `[[c${at + 1}]]`] as const)
  for (const [path, text] of [...Object.entries(FILES), ...chain]) {
    mkdirSync(dirname(join(vault, path)), { recursive: true })
    writeFileSync(join(vault, path), text)
    utimesSync(join(vault, path), 1_700_000_000, 1_700_000_000)
  }
  symlinkSync('/', join(vault, 'outside'))
  symlinkSync('/etc', join(vault, 'B', 'etc'))
}
