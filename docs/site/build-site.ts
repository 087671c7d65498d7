#!/usr/bin/env node
// `npm run docs:build`: the documentation as a static site in docs/site/dist/html, for any web server.
// The generator is installed beside this file on the first call, because nothing else needs it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { childEnvironment, findNpm } from '../../control-plane/cli/bootstrap/find-npm.mjs';
import { apiPages } from './api-pages.ts';
import { siteProblems } from './check-site.ts';
import { fetchApiDocument } from './fetch-api-document.ts';
import { readPages, ROOT } from './read-pages.ts';
import { stagePages } from './stage-pages.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;
const BUILD_TIMEOUT_MS = 10 * 60_000;

const site = import.meta.dirname;
const pages = join(site, 'dist/pages');
const html = join(site, 'dist/html');

const USAGE = `The documentation as a static site in docs/site/dist/html.

  npm run docs:build [-- --base /PATH/]

  --base /PATH/   where the site lies on its server; default: /
  --help          this text

The exit code is 0 when the site is built and none of its links is dead, 1 when not, 2 for an
argument that is not known.`;

function readBase(): string {
  try {
    const { values } = parseArgs({
      options: { base: { type: 'string', default: '/' }, help: { type: 'boolean' } },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    if (/^\/(?:[\w.-]+\/)*$/.test(values.base)) return values.base;
    throw new Error(`--base must begin and end with a slash, not "${values.base}"`);
  } catch (error) {
    console.error(`docs: ${error instanceof Error ? error.message : String(error)}`);
    return process.exit(2);
  }
}

function run(args: readonly string[], { base = '/', timeoutMs = BUILD_TIMEOUT_MS } = {}): void {
  const env = { ...childEnvironment(process.env, dirname(process.execPath)), DOCS_BASE: base };
  execFileSync(process.execPath, args, {
    cwd: site,
    env,
    timeout: timeoutMs,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Installs what package-lock.json names, once for each state of it. */
function installGenerator(): void {
  const lock = readFileSync(join(site, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex');
  const stampPath = join(site, 'node_modules/.switchyard-stamp');
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return;
  console.error('docs: installing the generator');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run([findNpm(), 'ci', ...flags], { timeoutMs: INSTALL_TIMEOUT_MS });
  writeFileSync(stampPath, stamp);
}

/** Everything beside the pages: llms.txt, the pages as Markdown, the document, linked files. */
async function addFiles(document: object, linked: ReadonlyMap<string, string>): Promise<void> {
  const markdown = globSync('**/*.md', { cwd: pages }).filter((path) => path !== 'index.md');
  const copies: (readonly [string, string])[] = [
    ['docs/llms.txt', 'llms.txt'] as const,
    ['dashboard/public/favicon.svg', 'favicon.svg'] as const,
    ...[...linked].map(([to, from]) => [from, to] as const),
    ...markdown.map((path) => [join('docs/site/dist/pages', path), path] as const),
  ];
  for (const [from, to] of copies) {
    await mkdir(dirname(join(html, to)), { recursive: true });
    await cp(join(ROOT, from), join(html, to));
  }
  await writeFile(join(html, 'openapi.json'), JSON.stringify(document));
}

async function buildSite(base: string): Promise<string[]> {
  installGenerator();
  const document = await fetchApiDocument();
  const linked = await stagePages(pages, { written: await readPages(), made: apiPages(document) });
  await rm(html, { recursive: true, force: true });
  run([join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.'], { base });
  await addFiles(document, linked);
  return siteProblems(html, base);
}

const base = readBase();
try {
  const problems = await buildSite(base);
  for (const problem of problems) console.error(`docs: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.error(`docs: ${globSync('**/*.html', { cwd: html }).length} pages in ${html}`);
} catch (error) {
  console.error(`docs: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
