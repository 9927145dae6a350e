import { computed, effect, signal } from '@preact/signals'
import { browserStorage } from './storage.ts'

const THEME_KEY = 'roux-theme'

const system = matchMedia('(prefers-color-scheme: dark)')
const isSystemDark = signal(system.matches)
system.addEventListener('change', () => (isSystemDark.value = system.matches))
const chosen = signal(browserStorage.getItem(THEME_KEY))

export const isDark = computed(() => (chosen.value === null ? isSystemDark.value : chosen.value === 'dark'))

effect(() => {
  document.documentElement.dataset.theme = isDark.value ? 'dark' : 'light'
})

export function switchTheme(): void {
  chosen.value = isDark.value ? 'light' : 'dark'
  browserStorage.setItem(THEME_KEY, chosen.value)
}
