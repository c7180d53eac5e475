import { ref } from 'vue';

export type Theme = 'light' | 'dark' | 'system';

const STORED = 'elasticjob.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export const theme = ref<Theme>(readTheme());

function readTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  localStorage.setItem(STORED, wanted);
  paint();
}

function paint(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && dark.matches);
  document.documentElement.classList.toggle('dark', isDark);
}

dark.addEventListener('change', paint);
paint();
