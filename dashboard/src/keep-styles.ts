const TRIES = 5;
const AGAIN_MS = 1_000;

/**
 * Fetches a view's style sheets again when they could not be loaded (the network changed at that
 * moment), and shows the view meanwhile. Vite alone would reject the view permanently.
 */
export function keepStyles(): void {
  addEventListener('vite:preloadError', (event) => {
    const href = /^Unable to preload CSS for (\S+)$/.exec(event.payload.message)?.[1];
    if (href === undefined) return;
    event.preventDefault();
    fetchStyles(href, TRIES);
  });
}

function fetchStyles(href: string, tries: number): void {
  if (tries === 0) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  link.addEventListener('error', () => {
    link.remove();
    setTimeout(() => fetchStyles(href, tries - 1), AGAIN_MS);
  });
  document.head.append(link);
}
