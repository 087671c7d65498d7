/** Url of the next page; null after the last one. */
export function nextPage(link: string | null): string | null {
  return /<([^>]+)>;[^,]*rel="next"/.exec(link ?? '')?.[1] ?? null;
}

/** Whether a page has as many rows as requested (30 by default), so that another may follow. */
export function isFull(path: string, rows: unknown): boolean {
  const perPage = /[?&]per_page=(\d+)/.exec(path)?.[1] ?? '30';
  return Array.isArray(rows) && rows.length >= Number(perPage);
}

/** A request for messages, without its query, which may contain private data. */
export function nameOf({ method = 'GET', path }: { method?: string; path: string }): string {
  const name = path.startsWith('/') ? path : new URL(path).pathname;
  return `${method} ${name.split('?')[0]}`;
}
