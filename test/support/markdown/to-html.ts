import { Marked } from 'marked';

const marked = new Marked({ gfm: true });

/** Markdown as a host may show it. */
export function toHtml(markdown: string): string {
  return marked.parse(markdown, { async: false });
}
