import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingsDocument, settingsTable } from '../../src/config/document.ts'
import { readSettings } from '../../src/config/load.ts'
import { toSettings } from '../../src/config/settings.ts'
import { SECTIONS } from '../../src/config/settings-schema.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'

const tools = TOOLS.map((tool) => tool.definition())

test("the repository's own settings file is the generated one (vitest -u writes it)", async () => {
  await expect(settingsDocument(tools)).toMatchFileSnapshot('../../roux.config.yaml')
})

test('it sets every key to its default', async () => {
  expect(parse(settingsDocument([]))).toEqual({ ...toSettings(), vaults: null })
  expect(parse(settingsDocument([{ name: 'get_hubs', title: 'Hubs' }])).tools).toEqual({
    write: false,
    attach: false,
    insight: true,
    get_hubs: true,
  })
})

test.each([false, true])('it can be read as settings (inactive: %s)', async (inactive) => {
  const folder = mkdtempSync(join(tmpdir(), 'roux-document-'))
  try {
    const config = join(folder, 'given.yaml')
    writeFileSync(config, settingsDocument(tools, { inactive }))
    const { problems, settings, origins } = await readSettings({
      cwd: folder,
      env: { XDG_CONFIG_HOME: folder },
      config,
      toolNames: async () => TOOLS.map(({ name }) => name),
    })
    expect(problems).toEqual([])
    expect(settings.vault.mode).toBe('auto')
    expect(origins.size > 0).toBe(!inactive)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an inactive one has every key behind a mark', () => {
  const text = settingsDocument(tools, { inactive: true, without: ['vault.path'] })
  expect(parse(text)).toEqual(Object.fromEntries(Object.keys(SECTIONS).map((name) => [name, null])))
  expect(text).not.toContain('path: ""\n  # What kind')
})

test('the table has a row a setting', () => {
  expect(settingsTable()).toMatchInlineSnapshot(`
    "| key | value | default | variable | meaning |
    | --- | --- | --- | --- | --- |
    | \`vault.path\` ¹ | a path | \`""\` | \`ROUX_VAULT\` | The folder with the notes; empty for the working directory. |
    | \`vaults.<name>\` ¹ | a path | \`""\` | \`ROUX_VAULTS_<NAME>\` | Several vaults in one server: a name of your own each, and its folder. Ids then begin with the name, as in \`work:projects/garden.md\`; they are asked together instead of \`vault.path\`, unless one is named with \`--vault\`. |
    | \`vault.mode\` | one of auto, obsidian, foam, logseq, docs | \`auto\` | \`ROUX_VAULT_MODE\` | What kind of vault it is; \`auto\` goes by its marker folder, and without one by how its notes link. |
    | \`vault.watch\` | one of auto, polling, off | \`auto\` | \`ROUX_VAULT_WATCH\` | How a server notices changes: \`auto\` by events of the file system, \`polling\` for network drives, \`off\` not at all. |
    | \`vault.ignore\` | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_VAULT_IGNORE\` | Files and folders to leave out, as glob patterns relative to the vault, besides names that begin with a dot and \`node_modules\`. |
    | \`vault.gitignore\` | true or false | \`false\` | \`ROUX_VAULT_GITIGNORE\` | Leave out what \`.gitignore\` files leave out. |
    | \`vault.link_roots\` ¹ | a list of folders, e.g. ["~/shared"] | \`[]\` | \`ROUX_VAULT_LINK_ROOTS\` | Folders outside the vault that symbolic links in it may lead to. |
    | \`links.profile\` | one of lenient, obsidian | \`lenient\` | \`ROUX_LINKS_PROFILE\` | How links find their notes: \`obsidian\` to the letter of that application, \`lenient\` also by aliases and folders. |
    | \`links.comments\` | true or false | \`true\` | \`ROUX_LINKS_COMMENTS\` | Count links and tags inside \`%% comments %%\`. |
    | \`tags.link_text\` | true or false | \`true\` | \`ROUX_TAGS_LINK_TEXT\` | Count \`#3rd\` in the text of a link as a tag: \`[Report #3rd](report.md)\`. |
    | \`tags.colors\` | true or false | \`true\` | \`ROUX_TAGS_COLORS\` | Count what may be a colour as a tag: \`#\` and three to eight hexadecimal digits, such as \`#fff\`. |
    | \`embedder.kind\` ¹ | one of static, transformers, openai, none | \`static\` | \`ROUX_EMBEDDER_KIND\` | What finds notes by meaning: \`static\` is built in and needs nothing, \`transformers\` runs a larger model on this computer, \`openai\` asks a server that speaks that protocol (Ollama, LM Studio, vLLM, OpenAI), \`none\` leaves finding to words alone. |
    | \`embedder.model\` ¹ | a name, or the path of a folder | \`""\` | \`ROUX_EMBEDDER_MODEL\` | Which model. For \`transformers\` an id of the Hugging Face hub, or a folder written as \`./…\`, \`~/…\` or a full path; empty for Xenova/all-MiniLM-L6-v2. For \`openai\` the name that the server knows it by. |
    | \`embedder.base_url\` ¹ | a text | \`""\` | \`ROUX_EMBEDDER_BASE_URL\` | For \`openai\`: where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1. If it wants a key, put that into the variable \`ROUX_EMBEDDER_API_KEY\`, never into a file. |
    | \`embedder.dimensions\` ¹ | a whole number from 0 to 4096 | \`0\` | \`ROUX_EMBEDDER_DIMENSIONS\` | How many numbers describe a passage; 0 for as many as the model makes. With \`static\`, and with servers that can shorten them, fewer are faster and less exact. |
    | \`embedder.query_prefix\` ¹ | a text | \`auto\` | \`ROUX_EMBEDDER_QUERY_PREFIX\` | What the model wants in front of every question; \`auto\` for what is known of it by its name, empty for nothing. |
    | \`embedder.passage_prefix\` ¹ | a text | \`auto\` | \`ROUX_EMBEDDER_PASSAGE_PREFIX\` | What the model wants in front of every passage; \`auto\` for what is known of it by its name, empty for nothing. |
    | \`embedder.max_tokens\` ¹ | a whole number from 0 to 100000 | \`0\` | \`ROUX_EMBEDDER_MAX_TOKENS\` | How much of a passage the model reads, in tokens of some four letters; 0 for as much as it is known to take. \`static\` reads all. |
    | \`embedder.batch\` ¹ | a whole number from 1 to 2048 | \`64\` | \`ROUX_EMBEDDER_BATCH\` | For \`openai\`: how many passages are sent at once, at the most. |
    | \`embedder.timeout\` ¹ | a whole number from 1 to 600 | \`60\` | \`ROUX_EMBEDDER_TIMEOUT\` | For \`openai\`: how many seconds an answer may take. |
    | \`embedder.download\` ¹ | true or false | \`false\` | \`ROUX_EMBEDDER_DOWNLOAD\` | For \`transformers\`: get a model that is not on this computer from the Hugging Face hub. \`roux index --download\` does so once, and shows how far it is. |
    | \`ai.enabled\` ¹ | true or false | \`false\` | \`ROUX_AI_ENABLED\` | Let \`ask\` put questions about your notes to a chat model. Off, nothing is loaded and no connection is opened. |
    | \`ai.allow_remote\` ¹ | false, true, or a list of names of computers, e.g. ["api.openai.com"] | \`false\` | \`ROUX_AI_ALLOW_REMOTE\` | Which other computers models may be asked on, for chat and for \`embedder.kind: openai\`: none, any (\`true\`), or these, e.g. ["api.openai.com"]. Each also needs \`roux ai allow <address>\`, once. Models whose name ends in \`-cloud\` count as another computer. |
    | \`ai.provider\` ¹ | one of none, openai, anthropic | \`none\` | \`ROUX_AI_PROVIDER\` | What the chat model is asked with: \`openai\` is the protocol of Ollama, LM Studio, vLLM, llama.cpp, OpenRouter and OpenAI, \`anthropic\` that of Anthropic. |
    | \`ai.base_url\` ¹ | a text | \`""\` | \`ROUX_AI_BASE_URL\` | Where its API begins; empty for Ollama on this computer, http://127.0.0.1:11434/v1, and with \`anthropic\` for https://api.anthropic.com/v1. |
    | \`ai.model\` ¹ | a text | \`""\` | \`ROUX_AI_MODEL\` | The name that the server knows the model by. |
    | \`ai.context\` ¹ | a whole number from 1024 to 2000000 | \`4096\` | \`ROUX_AI_CONTEXT\` | How many tokens the model reads, its answer included. Servers on this computer cut what is longer without a word: raise it there, too. |
    | \`ai.max_tokens\` ¹ | a whole number from 64 to 32000 | \`800\` | \`ROUX_AI_MAX_TOKENS\` | How many tokens an answer of the model may have. Models that think first need some thousands. |
    | \`ai.timeout\` ¹ | a whole number from 1 to 600 | \`120\` | \`ROUX_AI_TIMEOUT\` | How many seconds an answer of the model may take. |
    | \`ai.budget\` ¹ | auto, or a number from 0 to 1000000000 | \`auto\` | \`ROUX_AI_BUDGET\` | Tokens a day that models may be asked, of all processes together; 0 for no bound. \`auto\`: 200,000 on other computers, no bound on this one, and texts that are embedded are only counted. |
    | \`ai.allow\` | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_AI_ALLOW\` | Which notes a model on a server may be shown, for chat and for \`embedder.kind: openai\`, as glob patterns relative to the vault, e.g. ["public/**"]; empty for all. If several files set it, a note must fit each list. |
    | \`ai.deny\` | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_AI_DENY\` | Which notes such a model is never shown, as glob patterns relative to the vault, in upper or lower case; they win over \`ai.allow\`. The lists of several files add up. |
    | \`ai.key_file\` ¹ | a path | \`""\` | \`ROUX_AI_KEY_FILE\` | A file that holds the key of the chat model and that only you may read (mode 0600); \`ROUX_AI_API_KEY\` goes before it. Only from your own settings. |
    | \`ai.key_command\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_AI_KEY_COMMAND\` | A program that prints the key, and its arguments, e.g. ["secret-tool", "lookup", "service", "roux"], ["security", "find-generic-password", "-s", "roux", "-w"], ["pass", "roux"]. Only from your own settings. |
    | \`ai.prices\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_AI_PRICES\` | What \`roux usage\` computes costs by: model=input/output, what a million tokens cost, in a currency of your own, e.g. ["my-model=0.15/0.60"]. |
    | \`search.weight\` | auto, or a number from 0 to 1 | \`auto\` | \`ROUX_SEARCH_WEIGHT\` | What counts in \`search\`: 0 the words of the question alone, 1 its meaning alone; \`auto\` for the mix that was measured best for the model. |
    | \`answers.max_tokens\` | auto, or a number from 100 to 50000 | \`auto\` | \`ROUX_ANSWERS_MAX_TOKENS\` | What an answer of a tool that lists notes keeps within, in tokens of some four letters, unless a call asks for more or less with \`max_tokens\`; \`auto\` for what suits each tool, mostly 2000. Commands and the library answer in full. |
    | \`vectors.index\` | one of auto, exact, hnsw | \`auto\` | \`ROUX_VECTORS_INDEX\` | How the passages nearest in meaning are found: \`exact\` compares all, \`hnsw\` follows an index that is faster in very large vaults and needs the package hnswlib-node; \`auto\` takes that above 100 MB of vectors (some 390,000 passages) where it is installed. |
    | \`cache.path\` ¹ | a path | \`""\` | \`ROUX_CACHE_PATH\` | Folder of the index, which can always be rebuilt; empty for the user's own cache folder. |
    | \`store.type\` ¹ | one of embedded, neo4j | \`embedded\` | \`ROUX_STORE_TYPE\` | What keeps the index: \`embedded\` files in the cache folder, \`neo4j\` a Neo4j database that several servers can share (docs/cluster.md). |
    | \`store.neo4j.url\` ¹ | a text | \`bolt://127.0.0.1:7687\` | \`ROUX_STORE_NEO4J_URL\` | Where the database is: \`bolt://host:7687\` a single server, \`neo4j://host:7687\` a cluster; with \`+s\` behind \`bolt\` or \`neo4j\` over TLS. |
    | \`store.neo4j.user\` ¹ | a text | \`neo4j\` | \`ROUX_STORE_NEO4J_USER\` | Who connects. The password is read from the variable \`ROUX_STORE_NEO4J_PASSWORD\` or from \`store.neo4j.password_file\`, never from a settings file. |
    | \`store.neo4j.password_file\` ¹ | a path | \`""\` | \`ROUX_STORE_NEO4J_PASSWORD_FILE\` | A file that holds the password and nothing else; empty for none. Only from your own settings. |
    | \`store.neo4j.vaults\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_STORE_NEO4J_VAULTS\` | Vaults of the database to answer for without their folders, by the names that they were fed under; nothing is written then. Empty: the vault of the folder. |
    | \`store.neo4j.database\` ¹ | a text | \`""\` | \`ROUX_STORE_NEO4J_DATABASE\` | Which database of the server; empty for its user's own. |
    | \`files.case\` | one of auto, lower, preserve | \`auto\` | \`ROUX_FILES_CASE\` | How new notes are named: \`preserve\` as it was given, \`lower\` in lower case; \`auto\` keeps the spelling where the vault has a marker folder (\`.obsidian\`, \`.foam\`, \`logseq\`), and writes lower case elsewhere. Folders that are there, and what is moved or renamed, are spelled as they are. |
    | \`write.allow\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_WRITE_ALLOW\` | Where may be written, as glob patterns relative to the vault, e.g. ["inbox/**"]; empty for everywhere. What is left out of the vault, and names that begin with a dot, are never written. |
    | \`write.deny\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_WRITE_DENY\` | Where may not be written, as glob patterns relative to the vault; they win over \`write.allow\`. |
    | \`write.keep_days\` ¹ | a whole number from 1 to 3650 | \`30\` | \`ROUX_WRITE_KEEP_DAYS\` | For how many days a change can be undone. |
    | \`write.keep_mb\` ¹ | a whole number from 1 to 100000 | \`200\` | \`ROUX_WRITE_KEEP_MB\` | How many megabytes the record of changes, of all vaults together, may take; the oldest go first. |
    | \`mcp.prompts_folder\` ¹ | a text | \`""\` | \`ROUX_MCP_PROMPTS_FOLDER\` | A folder of the vault whose notes are offered as prompts; empty for none. Placeholders such as {{topic}} are filled in for the \`arguments\` that a note's properties name. |
    | \`http.enabled\` ¹ | true or false | \`false\` | \`ROUX_HTTP_ENABLED\` | Answer at \`/mcp\`; \`roux serve --http\`, which is what listens, switches this on until the settings say anything else of it. It changes nothing over stdio. |
    | \`http.host\` ¹ | a text | \`127.0.0.1\` | \`ROUX_HTTP_HOST\` | The address that is listened at. Any other than this computer's own, 127.0.0.1, lets other computers connect: put a reverse proxy with TLS in front. |
    | \`http.port\` ¹ | a whole number from 0 to 65535 | \`7583\` | \`ROUX_HTTP_PORT\` | The port that is listened at; 0 for any that is free. |
    | \`http.origins\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_HTTP_ORIGINS\` | Web pages that may connect from a browser, besides those of this computer, e.g. ["https://notes.example.com"]. |
    | \`http.hosts\` ¹ | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_HTTP_HOSTS\` | Names that the server is reached by, besides those of this computer, e.g. ["notes.example.com"] behind a reverse proxy. |
    | \`insight.ignore\` | a list of texts, e.g. ["a", "b"] | \`[]\` | \`ROUX_INSIGHT_IGNORE\` | What \`map\`, \`gaps\` and the other tools for the vault as a whole leave out, as glob patterns relative to the vault, e.g. ["templates/**"]. |
    | \`insight.keep_days\` ¹ | a whole number from 0 to 3650 | \`30\` | \`ROUX_INSIGHT_KEEP_DAYS\` | For how many days the log of what changed is kept, from which \`changes_since\` answers; 0 keeps none. |
    | \`insight.keep_mb\` ¹ | a whole number from 1 to 10000 | \`20\` | \`ROUX_INSIGHT_KEEP_MB\` | How many megabytes that log, of all vaults together, may take; the oldest entries go first. |
    | \`tools.write\` ¹ | true or false | \`false\` | \`ROUX_TOOLS_WRITE\` | Offer the tools that change notes; \`--write\` does so for one run. |
    | \`tools.attach\` ¹ | true or false | \`false\` | \`ROUX_TOOLS_ATTACH\` | Offer the tools for attachments; \`--write\` does so for one run. |
    | \`tools.insight\` ¹ | true or false | \`true\` | \`ROUX_TOOLS_INSIGHT\` | Offer the tools that answer for the vault as a whole, such as \`map\`, \`gaps\` and \`context_pack\`. |
    | \`tools.<tool>\` ¹ | true or false | \`true\` | \`ROUX_TOOLS_<TOOL>\` | Offer this tool. |

    ¹ From a file in the vault or the working directory only after \`roux trust\` was said for it; \`embedder.kind: static\` and \`embedder.kind: none\` and \`store.type: embedded\` are taken all the same.
    "
  `)
})
