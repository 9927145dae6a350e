// Measures `suggest_links`: `npm run bench:insight -- <vault>…`.
//
// Removes a tenth of the linked pairs of notes from each vault before reading it, once keeping the link text, once without it, and checks
// whether the first five suggestions for the note include them. Compares with Adamic-Adar and with the vectors of the built-in model. Other
// removed links of the same note count neither for nor against; `strict` counts them against. Intervals are 95 % bootstrap intervals over
// notes.
//
// `--seeds 1,2,3`, `--share 0.1`, `--no-templates`: keep links in notes that are templates or mostly made from one, `--no-vectors`.
import { runBundled } from './run-bundled.mjs'

await runBundled('insight/main.ts')
