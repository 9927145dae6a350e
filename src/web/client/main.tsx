import { render } from 'preact'
import { App } from './app.tsx'
import { loadFont } from './font.ts'
import { goToAddress, map, start } from './state.ts'

const page = document.getElementById('page')
if (page !== null) {
  page.textContent = ''
  render(<App />, page)
}
addEventListener('popstate', () => void goToAddress())
void start()
// Without it, the page has the system's font.
void loadFont().then(
  () => map.view?.refresh(),
  () => {},
)
