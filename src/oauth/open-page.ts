import * as z from 'zod/v4'
import { defineRoute, type Route } from '../http/routes.ts'
import { html, sendPage } from './page.ts'
import { parseParameters, queryOf } from './parameters.ts'
import { PATHS, type SignIn } from './sign-in.ts'

/** A note, identified by the name of its vault's folder, its path in the vault and its title. */
const NOTE = z.tuple([z.string(), z.string(), z.string()])

const MAX_TITLE_LENGTH = 200

/**
 * Returns the URL of the page for a note. The URL contains the note's names and a signature. Therefore, the page does not access a
 * vault, reveals only what is in its URL, and shows only what this server has signed.
 */
export function addressOf(
  { folder, path, title }: { readonly folder: string; readonly path: string; readonly title: string },
  { address, signer }: Pick<SignIn, 'address' | 'signer'>,
): string {
  return `${address.origin}${PATHS.open}?note=${signer.sign('note', [folder, path, [...title].slice(0, MAX_TITLE_LENGTH).join('')])}`
}

/** Serves the page that the sources in answers link to. It is public, because a browser that follows such a link has no token. */
export function openRoute({ signer }: Pick<SignIn, 'signer'>): Route {
  return defineRoute<undefined>({
    path: PATHS.open,
    methods: {
      GET({ request, response }) {
        const note = NOTE.safeParse(signer.read('note', parseParameters(queryOf(request))?.get('note') ?? ''))
        if (!note.success) return sendPage(response, 404, 'Roux', '<h1>This link was not made by this server</h1>')
        const [folder, path, title] = note.data
        const link = `obsidian://open?vault=${encodeURIComponent(folder.toWellFormed())}&file=${encodeURIComponent(path.toWellFormed())}`
        return sendPage(
          response,
          200,
          title,
          `<h1><bdi>${html(title)}</bdi></h1>
<p class="source"><bdi>${html(`${folder}/${path}`)}</bdi></p>
<p class="buttons"><a class="allow" href="${html(link)}">Open in Obsidian</a></p>`,
        )
      },
    },
    admit: () => ({ sender: undefined }),
  })
}
