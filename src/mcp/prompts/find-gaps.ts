import { listProblems, type ReportedKind } from '../../app/links/get-problems.ts'
import { type Prompt, type PromptRequest, paragraphs, quoteFacts, vaultOrFolder } from './define-prompt.ts'

/** How many of a kind are quoted. */
const QUOTED = 15

export const findGapsPrompt: Prompt = {
  definition: {
    name: 'find_gaps',
    title: 'Find gaps',
    description: 'What is mentioned but not written, and what is written but not linked.',
    arguments: [{ name: 'folder', description: 'Only this folder and below.' }],
  },
  source: { name: 'get_problems' },
  noteArguments: [],
  async text(request) {
    const { folder } = request.args
    return paragraphs(
      `Find the gaps in ${vaultOrFolder(folder)}.`,
      await quoteProblems(request, 'missing_note', 'Notes that are linked to and not there'),
      await quoteProblems(request, 'orphan', 'Notes that nothing links to and that link to nothing'),
      'Name the missing notes that would help most, with what they should say and which notes already mention them. For notes that stand alone, find with similar_nodes where a link belongs and quote the sentence. Cite notes by id; change nothing.',
    )
  },
}

async function quoteProblems({ core, args, call }: PromptRequest, kind: ReportedKind, title: string): Promise<string> {
  const { value } = await listProblems(core, { kind, folder: args.folder, limit: QUOTED, offset: 0 }, call)
  return quoteFacts(`${title}: ${value.problems.length} of ${value.total}`, value.problems)
}
