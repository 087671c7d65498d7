import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGES = join(import.meta.dirname, 'dist/pages');

type Item = { text: string; link: string };
type Group = { text: string; items: Item[] };

/** Pages by what a reader wants; those that stand nowhere here come under "More". */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['setup', 'agents', 'command-line', 'configuration'],
  Install: ['install/*', 'upgrade', 'edge', 'scale', 'runner-machines'],
  Use: ['dashboard', 'reasons', 'notifications', 'observability'],
  Engines: ['engine', 'add-an-engine', 'own-agents'],
  Connect: ['github', 'linear'],
  Understand: ['architecture', 'glossary', 'security', 'runner-protocol'],
  Project: ['changelog', 'contributing', 'development', 'reporting'],
};

/** The list of pages beside every page. */
export async function pageSidebar(): Promise<Group[]> {
  const names = pageNames((name) => name !== 'index' && !name.startsWith('api/'));
  const left = new Set(names);
  const groups: [string, string[]][] = Object.entries(GROUPS).map(([text, patterns]) => {
    const inside = patterns.flatMap((pattern) => names.filter((name) => matches(name, pattern)));
    for (const name of inside) left.delete(name);
    return [text, inside];
  });
  return Promise.all(
    [...groups, ['More', [...left]] as const]
      .filter(([, inside]) => inside.length > 0)
      .map(async ([text, inside]) => ({ text, items: await Promise.all(inside.map(item)) })),
  );
}

/** The list of groups beside the reference of the API. */
export async function apiSidebar(): Promise<Group[]> {
  const names = pageNames((name) => /^api\/(?!index$|schemas$)/.test(name));
  const all = ['api/index', ...names, 'api/schemas'];
  return [{ text: 'API reference', items: await Promise.all(all.map(item)) }];
}

function pageNames(chosen: (name: string) => boolean): string[] {
  return globSync('**/*.md', { cwd: PAGES })
    .map((file) => file.replace(/\.md$/, ''))
    .filter(chosen)
    .toSorted();
}

async function item(name: string): Promise<Item> {
  const text = await readFile(join(PAGES, `${name}.md`), 'utf8');
  const heading = /^# (.*)$/m.exec(text)?.[1] ?? name;
  return { text: heading.replaceAll('`', ''), link: `/${name.replace(/(^|\/)index$/, '$1')}` };
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
