// Written by "npm run docs" from the tools: change those.
import type { ask } from '../app/ask/ask.ts'
import type { findNodes } from '../app/find/find-nodes.ts'
import type { searchByTags } from '../app/find/search-by-tags.ts'
import type { search } from '../app/find/search.ts'
import type { similarNodes } from '../app/find/similar-nodes.ts'
import type { suggestTags } from '../app/find/suggest-tags.ts'
import type { changesSince } from '../app/insight/changes-since.ts'
import type { compare } from '../app/insight/compare.ts'
import type { contextPack } from '../app/insight/context-pack.ts'
import type { listGaps } from '../app/insight/gaps.ts'
import type { impact } from '../app/insight/impact.ts'
import type { mapVault } from '../app/insight/map.ts'
import type { suggestLinks } from '../app/insight/suggest-links.ts'
import type { findPath } from '../app/links/find-path.ts'
import type { getHubs } from '../app/links/get-hubs.ts'
import type { getNeighbors } from '../app/links/get-neighbors.ts'
import type { getProblems } from '../app/links/get-problems.ts'
import type { nodesExist } from '../app/names/nodes-exist.ts'
import type { resolveNodes } from '../app/names/resolve-nodes.ts'
import type { getNode } from '../app/read/get-node.ts'
import type { getTree } from '../app/read/get-tree.ts'
import type { listNodes } from '../app/read/list-nodes.ts'
import type { listProperties } from '../app/read/list-properties.ts'
import type { listTags } from '../app/read/list-tags.ts'
import type { randomNode } from '../app/read/random-node.ts'
import type { addAttachment } from '../app/write/add-attachment.ts'
import type { applyChanges } from '../app/write/apply-changes.ts'
import type { createFolder } from '../app/write/create-folder.ts'
import type { deleteFile } from '../app/write/delete-file.ts'
import type { listAttachments } from '../app/write/list-attachments.ts'
import type { listChanges } from '../app/write/list-changes.ts'
import type { moveNode } from '../app/write/move-node.ts'
import type { readAttachment } from '../app/write/read-attachment.ts'
import type { rename } from '../app/write/rename.ts'
import type { undoChange } from '../app/write/undo-change.ts'
import type { writeNode } from '../app/write/write-node.ts'

export interface CallOptions {
  /** Aborted when no one waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** Every use case as a method. Arguments are named as those of the tool in docs/tools.md. */
export interface VaultMethods {
  /** Notes that answer a question, by words and meaning, with passages and lines. Exact words, tags, dates, properties: find_nodes. */
  search(args: {
    /** The question. */
    readonly query: string
    /** Maximum results. Default: 10. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Content instead of properties. Default: false. */
    readonly include_content?: boolean
    /** Only this folder. */
    readonly folder?: string
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** Only passages of this note: id. */
    readonly note?: string
    /** How sure a result must be. Default: "normal". */
    readonly relevance?: 'strict' | 'normal' | 'loose'
    /** By words, by meaning, or both. Default: "hybrid". */
    readonly mode?: 'hybrid' | 'keyword' | 'semantic'
    /** Show ranks and scores. Default: false. */
    readonly explain?: boolean
    /** Links of each. */
    readonly links?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof search>

  /** Notes that fit a query of words and filters, with the text around the match. A question: search. */
  findNodes(args: {
    /** Words, "a phrase", pre*, #tag, #property=value #property>=2024-01-01, ~relation=title, links:"a note" linkedfrom:note, task:open, community:c4, title:x path:x type:x, created:>2024-01-01 modified:day-7, -has:backlink has:attachment; OR, -not, ( ). Empty: all notes. */
    readonly query: string
    /** Maximum results. Default: 10. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Only this folder. */
    readonly folder?: string
    /** relevance: modified without words. Default: "relevance". */
    readonly order_by?: 'relevance' | 'title' | 'modified' | 'created'
    /** desc; titles asc. */
    readonly order?: 'asc' | 'desc'
    /** Also archived notes. Default: false. */
    readonly include_archived?: boolean
    /** Links of each. */
    readonly links?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof findNodes>

  /** Reads a note: content, tags, links, properties, outline. Long notes come in parts: go on with offset = next_offset, or ask for a section. */
  getNode(args: {
    /** Note: id or title. */
    readonly id: string
    /** 1: also up to 20 linked notes each way. Default: 0. */
    readonly depth?: number
    /** Only this: headings from the outside in, or one "^block". */
    readonly section?: readonly string[]
    /** Characters to skip. Default: 0. */
    readonly offset?: number
    /** Characters of content. Default: 10000. */
    readonly max_chars?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof getNode>

  /** Notes that link to a note (backlinks) or that it links to, best linked first. */
  getNeighbors(args: {
    /** Note: id or title. */
    readonly id: string
    /** in: linking here; out: linked to. Default: "both". */
    readonly direction?: 'in' | 'out' | 'both'
    /** Maximum results. Default: 20. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Content instead of properties. Default: false. */
    readonly include_content?: boolean
    /** Only links in this property. */
    readonly type?: string
    /** Default: notes. missing: linked to, not there. */
    readonly kinds?: readonly ('note' | 'attachment' | 'canvas' | 'missing')[]
    /** Add the sentences that link: who mentions it, and how. Default: false. */
    readonly evidence?: boolean
    /** Links of each. */
    readonly links?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof getNeighbors>

  /** The shortest way over links, with the sentence that makes each. */
  findPath(args: {
    /** Start: id or title. */
    readonly source: string
    /** End: id or title. */
    readonly target: string
    /** out: forwards only. Default: "any". */
    readonly direction?: 'any' | 'out'
    /** Paths; others come as alternatives. Default: 1. */
    readonly count?: number
    /** Go around the best-linked notes. Default: false. */
    readonly avoid_hubs?: boolean
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof findPath>

  /** The best-linked notes of a vault, folder or tag: a good first look. */
  getHubs(args?: {
    /** By notes linking here, notes linked to, rank of what links here, or bridges between parts. Default: "in_degree". */
    readonly metric?: 'in_degree' | 'out_degree' | 'pagerank' | 'betweenness'
    /** Maximum results. Default: 10. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Only this folder. */
    readonly folder?: string
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof getHubs>

  /** Ids of notes by title or alias, many at once, typos allowed. */
  resolveNodes(args: {
    /** Up to 1,000. */
    readonly names: readonly string[]
    /** fuzzy: also similar spelling; semantic: by meaning. Default: "fuzzy". */
    readonly strategy?: 'exact' | 'fuzzy' | 'semantic'
    /** Least similarity. Default: 0.7. */
    readonly threshold?: number
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** Only ids that begin with this. */
    readonly path?: string
  }, options?: CallOptions): ReturnType<typeof resolveNodes>

  /** Notes about the same, linked or not: for duplicates, further reading. */
  similarNodes(args: {
    /** The note: id. */
    readonly id: string
    /** Maximum results. Default: 10. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Only this folder. */
    readonly folder?: string
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** How sure a result must be. Default: "normal". */
    readonly relevance?: 'strict' | 'normal' | 'loose'
    /** Leave out what it links to or is linked from. Default: false. */
    readonly exclude_linked?: boolean
    /** Links of each. */
    readonly links?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof similarNodes>

  /** Tags in use and folders that suit a note, by those nearest to it. operation: for apply_changes. */
  suggestTags(args: {
    /** The note: id. */
    readonly id: string
    /** Maximum results. Default: 5. */
    readonly limit?: number
    /** How sure a result must be. Default: "normal". */
    readonly relevance?: 'strict' | 'normal' | 'loose'
  }, options?: CallOptions): ReturnType<typeof suggestTags>

  /** All that a question needs, in one budget: passages that answer, and those that links in them lead to. Or about some notes: ids. */
  contextPack(args?: {
    /** The question. */
    readonly query?: string
    /** These notes first. */
    readonly ids?: readonly string[]
    /** Budget, 4,000. */
    readonly max_tokens?: number
    /** Only this folder. */
    readonly folder?: string
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** Goes on; same arguments. */
    readonly cursor?: string
  }, options?: CallOptions): ReturnType<typeof contextPack>

  /** What deleting a note or folder, or operations, would do to the links, without doing it: broken links, orphans, parts that fall apart. */
  impact(args?: {
    /** Delete this. */
    readonly id?: string
    /** Delete all in it. */
    readonly folder?: string
    /** As for apply_changes. */
    readonly operations?: readonly {
      readonly tool: string
      readonly arguments: Readonly<Record<string, unknown>>
    }[]
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof impact>

  /** What two notes share: links, passages, a path; and what not. */
  compare(args: {
    /** Id or title. */
    readonly a: string
    /** Other. */
    readonly b: string
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof compare>

  /** Notes with any or all of some tags (nested ones count), with their beginnings. list_nodes lists more at once. */
  searchByTags(args: {
    /** With or without "#". */
    readonly tags: readonly string[]
    /** Any or all. Default: "any". */
    readonly mode?: 'any' | 'all'
    /** Maximum results. Default: 20. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Links of each. */
    readonly links?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof searchByTags>

  /** Ids and titles, page by page. As a tree: get_tree; a name: resolve_nodes. */
  listNodes(args?: {
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** Only ids that begin with this. */
    readonly path?: string
    /** Maximum results. Default: 100. */
    readonly limit?: number
    /** Results to skip. Default: 0. */
    readonly offset?: number
    /** Default: notes. missing: linked to, not there. */
    readonly kinds?: readonly ('note' | 'attachment' | 'canvas' | 'missing')[]
    /** Only of this community, from map. */
    readonly community?: string
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listNodes>

  /** Tags with how many notes carry them or one nested in them, most used first. */
  listTags(args?: {
    /** Only tags that begin with this. */
    readonly prefix?: string
    /** Skip so many. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listTags>

  /** Property keys with how many notes have them and kinds of values; with key, its values. */
  listProperties(args?: {
    /** Values of this. */
    readonly key?: string
    /** Only what begins with this. */
    readonly prefix?: string
    /** Maximum results. Default: 50. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listProperties>

  /** How a vault is laid out: folders with note counts, notes at the leaves. A flat list: list_nodes. */
  getTree(args?: {
    /** Folder to begin at. */
    readonly path?: string
    /** Levels of folders. Default: 3. */
    readonly depth?: number
    /** Notes in the whole tree. Default: 200. */
    readonly limit?: number
    /** Also archived notes. Default: false. */
    readonly include_archived?: boolean
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof getTree>

  /** Any note, for discovery or review. */
  randomNode(args?: {
    /** With any of these tags. */
    readonly tags?: readonly string[]
  }, options?: CallOptions): ReturnType<typeof randomNode>

  /** Which ids exist. For names: resolve_nodes. */
  nodesExist(args: {
    /** In any case, up to 1,000. */
    readonly ids: readonly string[]
  }, options?: CallOptions): ReturnType<typeof nodesExist>

  /** What is wrong in notes, links and names, with file, line and what may have been meant. */
  getProblems(args?: {
    /** Only this kind. twin: paths that differ in case only. missing_note: most wanted first. duplicate: notes of much the same text. */
    readonly kind?: 'broken_link' | 'broken_heading' | 'ambiguous_link' | 'malformed' | 'orphan' | 'twin' | 'outside_link' | 'conflict_copy' | 'missing_note' | 'duplicate'
    /** Only this folder. */
    readonly folder?: string
    /** Only links to this note, by path or title. */
    readonly target?: string
    /** Only counts. Default: false. */
    readonly summary?: boolean
    /** Maximum results. Default: 20. */
    readonly limit?: number
    /** Results to skip. Default: 0. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof getProblems>

  /** Another model, the user's own, answers from the notes, with verified citations (they prove where, not that it follows). Slower than search, which lets you answer yourself. */
  ask(args: {
    /** The question. */
    readonly question: string
    /** Only this note: id. */
    readonly note_id?: string
    /** Only this folder. */
    readonly folder?: string
    /** With this tag or one nested in it. */
    readonly tag?: string
    /** How sure a result must be. Default: "normal". */
    readonly relevance?: 'strict' | 'normal' | 'loose'
    /** What was asked before. Default: []. */
    readonly history?: readonly {
      readonly question: string
      readonly answer: string
    }[]
  }, options?: CallOptions): ReturnType<typeof ask>

  /** What anyone changed since a time or an earlier answer, net: notes, links gained and lost, links broken and fixed, new orphans, notes linked to more. */
  changesSince(args?: {
    /** From an earlier answer. */
    readonly cursor?: string
    /** 2024-01-31, monday, 12h … Default: 7d. */
    readonly since?: string
    /** Only this folder. */
    readonly folder?: string
    /** Of each list. Default: 20. */
    readonly limit?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof changesSince>

  /** Links that should be there, likeliest first, of one note or the whole vault. named: a title or alias stands in the text; has line and edit, an operation for apply_changes. related: notes that belong together. */
  suggestLinks(args?: {
    /** From this note. */
    readonly id?: string
    /** Only this folder. */
    readonly folder?: string
    /** Only such. Default: "both". */
    readonly kind?: 'named' | 'related' | 'both'
    /** Maximum results. Default: 10. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof suggestLinks>

  /** What a vault is about: its communities of notes, by links and words, each with label, key notes and words of its own, and the notes that lie between them. The best first look. */
  map(args?: {
    /** Only this folder. */
    readonly scope?: string
    /** Look into this one. */
    readonly community?: string
    /** 2: smaller ones. Default: 1. */
    readonly level?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof mapVault>

  /** Alike communities hardly linked, notes that others hang on, missing notes, dead ends. */
  gaps(args?: {
    /** Default: all. */
    readonly kind?: 'apart' | 'cut' | 'wanted' | 'dead_ends'
    /** Only this folder. */
    readonly folder?: string
    /** Maximum results. Default: 20. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listGaps>

  /** Creates a note; folders are made as needed. NODE_EXISTS if there is one: then use update_node. */
  createNode(args: {
    /** Path in the vault, ending in .md; lowercased outside Obsidian, Foam and Logseq. */
    readonly id: string
    /** Markdown. */
    readonly content: string
    /** Title, where it is not the file's name. */
    readonly title?: string
    /** Tags. Default: []. */
    readonly tags?: readonly string[]
    /** Frontmatter. */
    readonly properties?: Readonly<Record<string, unknown>>
    /** Links in properties, by ids, titles or aliases: {"up": ["Home"]}. */
    readonly relations?: Readonly<Record<string, readonly string[]>>
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof writeNode>

  /** Changes a note; what is not named stays as it is. Prefer append, prepend, replace_text or section to replacing all content. title renames the file. Only to add or remove tags: manage_tags; another folder: move_node. */
  updateNode(args: {
    /** Note: id. */
    readonly id: string
    /** New title and file name. */
    readonly title?: string
    /** New text of the whole note without frontmatter, or of section. */
    readonly content?: string
    /** All tags from now on. */
    readonly tags?: readonly string[]
    /** Frontmatter to set; null removes. */
    readonly properties?: Readonly<Record<string, unknown>>
    /** Links in properties, by ids, titles or aliases: {"up": ["Home"]}. */
    readonly relations?: Readonly<Record<string, readonly string[]>>
    /** Text to add at the end. */
    readonly append?: string
    /** Text to add at the beginning. */
    readonly prepend?: string
    /** Replaces find by replace, in the body. */
    readonly replace_text?: {
      /** Exact text. */
      readonly find: string
      /** What takes its place. */
      readonly replace: string
      /** Matches there must be. Default: 1. */
      readonly count?: number
      /** Only a match that begins on this line. */
      readonly line?: number
    }
    /** Where content goes: headings from the outside in, or one "^block". */
    readonly section?: readonly string[]
    /** What content does to section. Default: "replace". */
    readonly mode?: 'replace' | 'append' | 'prepend' | 'insert_before' | 'insert_after'
    /** The hash you read; refused if the file changed since. */
    readonly expected_hash?: string
    /** Content also replaces what you have not read (hash partial:…). Default: false. */
    readonly replace_all?: boolean
    /** Rewrite links when title changes; else LINK_INTEGRITY if there are any. Default: false. */
    readonly update_links?: boolean
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof writeNode>

  /** Moves a note to the trash of the vault; tells the links that lead nowhere now. restore_node brings it back. */
  deleteNode(args: {
    /** Note: id. */
    readonly id: string
    /** The hash you read; refused if the file changed since. */
    readonly expected_hash?: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof deleteFile>

  /** Moves or renames a note, an attachment or a whole folder. Every link to it follows; the answer tells each line that was rewritten. */
  moveNode(args: {
    /** Path of the note, file or folder, in any case. */
    readonly id: string
    /** New path, spelled as wanted. A folder that is there, or "/" at its end: to put it into. */
    readonly to: string
    /** The hash you read; refused if the file changed since. */
    readonly expected_hash?: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof moveNode>

  /** Takes what was deleted last under an id out of the trash, byte for byte. */
  restoreNode(args: {
    /** The id it had. */
    readonly id: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof writeNode>

  /** Gives a heading another text; every link to it follows. */
  renameHeading(args: {
    /** Note: id. */
    readonly id: string
    /** Headings from the outside in, as far as needed. */
    readonly heading: readonly string[]
    /** New text, without "#". */
    readonly to: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof rename>

  /** Renames a tag and those nested in it in all notes, frontmatter and text. For one note use manage_tags. */
  renameTag(args: {
    /** Tag, with or without "#". */
    readonly tag: string
    /** New name. */
    readonly to: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof rename>

  /** Adds and removes tags in a note's frontmatter, the others stay. For all notes use rename_tag. */
  manageTags(args: {
    /** Note: id. */
    readonly id: string
    /** Tags to add. Default: []. */
    readonly add?: readonly string[]
    /** Tags to remove. Default: []. */
    readonly remove?: readonly string[]
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof writeNode>

  /** Makes an empty folder. Not needed before create_node or move_node. */
  createFolder(args: {
    /** Path in the vault. */
    readonly path: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof createFolder>

  /** Makes a note in another folder that embeds this one, so that it appears in both: no copy of its text. */
  cloneNode(args: {
    /** Note: id. */
    readonly id: string
    /** Folder to show it in; empty for the top. */
    readonly folder: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof writeNode>

  /** Puts a file (up to 5 MB) where the vault keeps attachments of its note; a name that is taken gets a number. No note is edited: the answer says what to write there to show it. */
  addAttachment(args: {
    /** Note that it is for, or folder to put it into. */
    readonly id: string
    /** Name with ending. */
    readonly filename: string
    /** Base64. */
    readonly content: string
    /** Media type; checked against the bytes. */
    readonly mime_type?: string
    /** Title to show. */
    readonly title?: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof addAttachment>

  /** Moves an attachment to the trash of the vault; tells the links that lead nowhere now. */
  deleteAttachment(args: {
    /** Attachment: its path in the vault, in any case. */
    readonly id: string
    /** The hash you read; refused if the file changed since. */
    readonly expected_hash?: string
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
  }, options?: CallOptions): ReturnType<typeof deleteFile>

  /** Carries out operations of other write tools, one after the other, as one change: all or nothing, one undo. With dry_run it shows the diff first; plan_id then does exactly that, and fails with CONFLICT if a note changed meanwhile. */
  applyChanges(args?: {
    /** What to do, in order. */
    readonly operations?: readonly {
      /** Tool. */
      readonly tool: 'create_node' | 'update_node' | 'delete_node' | 'move_node' | 'restore_node' | 'rename_heading' | 'rename_tag' | 'manage_tags' | 'create_folder' | 'clone_node' | 'add_attachment' | 'delete_attachment'
      /** Its arguments. */
      readonly arguments: Readonly<Record<string, unknown>>
    }[]
    /** Show diff and plan_id only. Default: false. */
    readonly dry_run?: boolean
    /** Instead of operations: what a dry run of any tool answered. */
    readonly plan_id?: string
  }, options?: CallOptions): ReturnType<typeof applyChanges>

  /** What was written through these tools, newest first, with files and the change_id for undo. */
  listChanges(args?: {
    /** Maximum results. Default: 20. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Only changes of this note, file or folder. */
    readonly id?: string
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listChanges>

  /** Takes a whole change back, itself a change. CONFLICT with the difference if a file was edited since. */
  undo(args: {
    /** From the answer of a change, or list_changes. */
    readonly change_id: string
  }, options?: CallOptions): ReturnType<typeof undoChange>

  /** Images, PDFs and other files that a note embeds or links to, with type and size. For all in the vault: list_nodes with kinds ["attachment"]. */
  listAttachments(args: {
    /** Note: id. */
    readonly id: string
    /** Maximum results. Default: 50. */
    readonly limit?: number
    /** Skip so many. */
    readonly offset?: number
    /** Budget. */
    readonly max_tokens?: number
  }, options?: CallOptions): ReturnType<typeof listAttachments>

  /** Shows a picture (up to 5 MB); of any other file the bytes as base64, page by page: go on with offset = next_offset. null if there is none. */
  readAttachment(args: {
    /** Attachment: its path in the vault, in any case. */
    readonly id: string
    /** Bytes to skip. Default: 0. */
    readonly offset?: number
    /** Maximum bytes, 16384 if absent; with it pictures are base64, too. */
    readonly max_bytes?: number
  }, options?: CallOptions): ReturnType<typeof readAttachment>
}
