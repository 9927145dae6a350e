import { render } from 'preact'
import { App } from './app.tsx'
import { goToAddress, map, start } from './state.ts'

const page = document.getElementById('page')
if (page !== null) {
  page.textContent = ''
  render(<App />, page)
}
addEventListener('popstate', () => void goToAddress())
void start()
document.fonts.addEventListener('loadingdone', () => map.view?.refresh())
