import { useSyncExternalStore } from 'preact/compat';

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** The colour scheme in force, for content that is drawn by a script instead of a style sheet. */
export function useScheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, schemeNow);
}

function schemeNow(): 'light' | 'dark' {
  const theme = document.documentElement.dataset['theme'];
  if (theme === 'light' || theme === 'dark') return theme;
  return darkSystem.matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  darkSystem.addEventListener('change', listener);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    darkSystem.removeEventListener('change', listener);
    observer.disconnect();
  };
}
