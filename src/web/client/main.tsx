import { render } from 'preact'
import { App } from './app.tsx'
import { readAddress, start } from './state.ts'

const page = document.getElementById('page')
if (page !== null) {
  page.textContent = ''
  render(<App />, page)
}
addEventListener('popstate', () => readAddress())
void start()
