import * as z from 'zod/v4'
import { partOfPicture } from '../../app/links/picture.ts'
import { defineTool, READS } from '../definition/define-tool.ts'

/** Maximum notes on the picture: some 400 kB, and more than a chat can show clearly. */
const MOST = 3_000

/** Where the notes of an answer lie, and what is around them: for the page that pictures answers, never for models. */
export const mapPictureTool = defineTool({
  name: 'map_picture',
  title: 'Picture of the vault',
  description: 'Places, titles and links of notes on the map of the vault, for the page that shows it.',
  annotations: READS,
  names: { id: 'note' },
  input: () => ({
    id: z.string().optional().describe('A note of the vault that is meant.'),
    notes: z.array(z.string()).max(500).default([]).describe('Ids of notes that must be on it.'),
  }),
  wrap: 'object',
  run: (core, { notes }, call) => partOfPicture(core, { notes, most: MOST }, call),
})
