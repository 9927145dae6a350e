// How good `suggest_links` is: `npm run bench:insight -- <vault>…`.
//
// Takes a tenth of the linked pairs of notes out of each vault before anything of it is read, once so that the text of the links stays, once with it, and looks
// whether the suggestions for the note have them among the first five; beside Adamic-Adar and the vectors of the built-in model. Another removed link of the
// same note counts neither for nor against; `strict` counts it against. Intervals are 95 %, over notes drawn again and again.
//
// `--seeds 1,2,3`, `--share 0.1`, `--no-templates`: no links are taken out of notes that are templates or mostly made of one, `--no-vectors`.
import { runBundled } from './run-bundled.mjs'

await runBundled('insight/main.ts')
