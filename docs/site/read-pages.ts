import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The checkout's root. */
export const ROOT = join(import.meta.dirname, '../..');

/** Pages outside docs/ that the site holds too, and their names there. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'reporting.md',
  'docs/site/start.md': 'index.md',
};

/** A page of the site: its file in the checkout, its file below the site's root, its Markdown. */
export type Page = { source: string; path: string; text: string };

/** Every page that people wrote, in the order of their names. */
export async function readPages(): Promise<Page[]> {
  const inside = globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site/**'] });
  const named = [
    ...inside.map((source) => [source, source.replace(/^docs\//, '')] as const),
    ...Object.entries(OUTSIDE),
  ];
  return Promise.all(
    named
      .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
      .map(async ([source, path]) => ({
        source,
        path,
        text: await readFile(join(ROOT, source), 'utf8'),
      })),
  );
}
