import { readStored, writeStored } from '../stored.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'switchyard.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The reader's stored theme; without a stored choice, the system's. */
export function readTheme(): Theme {
  const stored = readStored(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

/** Applies and stores a theme: the style sheet's colours follow `color-scheme`. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  writeStored(KEY, theme);
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
}
