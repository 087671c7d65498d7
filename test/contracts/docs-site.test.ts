import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiDocument, apiPages } from '../../docs/site/api-pages.ts';
import { siteProblems } from '../../docs/site/check-site.ts';
import { diagramsOf, drawnDiagram } from '../../docs/site/diagrams.ts';
import { readPages, ROOT } from '../../docs/site/read-pages.ts';
import { stagePages } from '../../docs/site/stage-pages.ts';
import { createCoreWorld } from '../support/core/core-world.ts';
import { openFramePeer } from '../support/core/runner-peers.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-site-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe('the pages of the site', () => {
  it('link to nothing that is missing', async () => {
    await expect(
      stagePages(folder, { written: await readPages(), made: [] }),
    ).resolves.toBeInstanceOf(Map);
  });

  it('are refused with the names of dead links', async () => {
    const page = { source: 'docs/a.md', path: 'a.md', text: '[b](b.md) and [c](../LICENSE)' };
    await expect(stagePages(folder, { written: [page], made: [] })).rejects.toThrow(
      'links that lead nowhere:\ndocs/a.md: b.md',
    );
  });

  it('have every diagram drawn as it stands (npm run docs:diagrams mends it)', async () => {
    const diagrams = diagramsOf(await readPages());
    expect(diagrams.length).toBeGreaterThan(2);
    for (const { source } of diagrams) {
      const svg = drawnDiagram(source);
      expect(svg).toMatch(/^<svg /);
      // Nothing from elsewhere, and the page's own colours in both themes.
      expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|@import/);
      expect(svg).toContain('var(--vp-c-text-1)');
    }
    expect(() => drawnDiagram('flowchart LR\n  a --> b\n')).toThrow(/npm run docs:diagrams/);
  });
});

describe('what programs read', () => {
  it('is listed in llms.txt, with every link to a page that is there', async () => {
    const text = readFileSync(join(ROOT, 'docs/llms.txt'), 'utf8');
    expect(text).toMatch(/^# Switchyard\n\n> \S.*\n/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, to]) => to);
    const pages = (await readPages()).map(({ path }) => path);
    expect(links.length).toBe(text.match(/^- /gm)?.length);
    expect(links.filter((to) => to === undefined || !pages.includes(to))).toEqual([]);
  });

  it('names only operations that exist', async () => {
    const { paths } = await servedDocument();
    const text = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8');
    const named = [...text.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/.-]+)/g)];
    expect(named.length).toBeGreaterThan(8);
    const templates = Object.keys(paths).map((path) => ({
      path,
      of: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const missing = named.filter(([, method = '', given = '']) =>
      templates.every(
        ({ path, of }) => !of.test(given) || paths[path]?.[method.toLowerCase()] === undefined,
      ),
    );
    expect(missing.map(([whole]) => whole)).toEqual([]);
  });
});

async function servedDocument(): Promise<ApiDocument> {
  const world = await createCoreWorld(openFramePeer);
  const given = { headers: { Host: 'localhost' } };
  const caller = { remoteAddress: '127.0.0.1' };
  const answer = await world.core.app.request('/api/v1/openapi.json', given, caller);
  const document = (await answer.json()) as ApiDocument;
  await world.close();
  return document;
}

describe('the reference of the API', () => {
  it('has every operation and every schema, and links only to those', async () => {
    const document = await servedDocument();
    const pages = apiPages(document);
    const all = pages.map(({ text }) => text).join('\n');
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `\n${method.toUpperCase()} ${path}\n`),
    );
    expect(operations.filter((operation) => !all.includes(operation))).toEqual([]);
    const schemas = new Set([...all.matchAll(/^## \w+ \{#(\w+)\}$/gm)].map(([, id]) => id));
    expect(schemas.size).toBeGreaterThanOrEqual(Object.keys(document.components.schemas).length);
    const linked = [...all.matchAll(/\(schemas\.md#(\w+)\)/g)].map(([, id]) => id);
    expect(linked.filter((id) => !schemas.has(id))).toEqual([]);
  });
});

describe('the check of a built site', () => {
  it('passes a site whose links, headings and files are all there', () => {
    put('index.html', '<a href="/a.html#x">a</a><a href="/dir/">d</a><img src="/p.svg">');
    put('a.html', '<h2 id="x">x</h2><a href="https://example.com/">elsewhere</a>');
    put('dir/index.html', '<a href="../a.html">a</a><a href="#y" id="y">y</a>');
    put('p.svg', '<svg/>');
    expect(siteProblems(folder, '/')).toEqual([]);
  });

  it('names dead links, missing headings and what would be loaded from elsewhere', () => {
    put('a.html', '<a href="/gone.html">g</a><a href="#none">n</a>');
    put('b.html', '<script src="https://cdn.example.com/x.js"></script><link href="//f.example">');
    put('s.css', '@import url(https://fonts.example.com/f.css);');
    expect(siteProblems(folder, '/')).toEqual([
      'a.html: leads nowhere: /gone.html',
      'a.html: no such heading: #none',
      'b.html: leads nowhere: //f.example',
      'b.html: would load //f.example',
      'b.html: would load https://cdn.example.com/x.js',
      's.css: would load from elsewhere: @import',
      's.css: would load from elsewhere: url(https://',
    ]);
  });

  it('takes links outside the base for dead', () => {
    put('index.html', '<a href="/docs/index.html">in</a><a href="/index.html">out</a>');
    expect(siteProblems(folder, '/docs/')).toEqual(['index.html: leads nowhere: /index.html']);
  });
});
