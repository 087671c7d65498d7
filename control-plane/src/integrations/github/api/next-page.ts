/** Address of the page that follows; null after the last one. */
export function nextPage(link: string | null): string | null {
  return /<([^>]+)>;[^,]*rel="next"/.exec(link ?? '')?.[1] ?? null;
}

/** Whether a page has as many rows as it may have, which GitHub takes as 30 unless asked. */
export function isFull(path: string, rows: unknown): boolean {
  const perPage = /[?&]per_page=(\d+)/.exec(path)?.[1] ?? '30';
  return Array.isArray(rows) && rows.length >= Number(perPage);
}

/** A request in words, without what its query may tell. */
export function nameOf({ method = 'GET', path }: { method?: string; path: string }): string {
  const name = path.startsWith('/') ? path : new URL(path).pathname;
  return `${method} ${name.split('?')[0]}`;
}
