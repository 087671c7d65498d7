#!/usr/bin/env node
// `npm run docs:diagrams`: draws every mermaid block of the pages into docs/site/diagrams, one SVG
// for each, so that neither the build of the site nor a reader's browser needs mermaid. Needs
// Chromium, and fetches mermaid from the package registry into a temporary folder.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { childEnvironment, findNpm } from '../../control-plane/cli/bootstrap/find-npm.mjs';
import { findChromium } from '../../test/support/chromium.ts';
import { DIAGRAMS_FOLDER, diagramsOf } from './diagrams.ts';
import { readPages } from './read-pages.ts';

/** MIT. Its one file for browsers holds all that it needs, so the package is fetched alone. */
const PACKAGE = 'mermaid@12.2.0';
const FETCH_TIMEOUT_MS = 5 * 60_000;
const DRAW_TIMEOUT_MS = 60_000;

/** A colour that mermaid takes for one, and what stands there in the page for either theme. */
const COLOURS = {
  '#010101': 'var(--vp-c-bg)',
  '#010102': 'var(--vp-c-bg-elv)',
  '#010103': 'var(--vp-c-text-1)',
  '#010104': 'var(--vp-c-border)',
  '#010105': 'var(--vp-c-text-2)',
  '#010106': 'var(--vp-c-bg-soft)',
  '#010107': 'var(--diagram-note)',
} as const;
const [ground, raised, ink, border, line, sunken, note] = Object.keys(COLOURS);

const CONFIG = {
  startOnLoad: false,
  theme: 'base',
  look: 'classic',
  layout: 'dagre',
  htmlLabels: false,
  fontFamily: 'inherit',
  themeVariables: {
    fontFamily: 'sans-serif',
    fontSize: '14px',
    background: ground,
    titleColor: ink,
    primaryColor: raised,
    primaryTextColor: ink,
    primaryBorderColor: border,
    secondaryColor: sunken,
    tertiaryColor: sunken,
    lineColor: line,
    textColor: ink,
    mainBkg: raised,
    nodeBorder: border,
    clusterBkg: sunken,
    clusterBorder: border,
    edgeLabelBackground: ground,
    actorBkg: raised,
    actorBorder: border,
    actorTextColor: ink,
    actorLineColor: line,
    signalColor: line,
    signalTextColor: ink,
    labelBoxBkgColor: sunken,
    labelBoxBorderColor: border,
    labelTextColor: ink,
    loopTextColor: ink,
    noteBkgColor: note,
    noteTextColor: ink,
    noteBorderColor: border,
  },
};

type Mermaid = {
  initialize(config: unknown): void;
  render(id: string, text: string): Promise<{ svg: string }>;
};

const folder = await mkdtemp(join(tmpdir(), 'switchyard-diagrams-'));
try {
  const executablePath = findChromium();
  if (executablePath === null) {
    throw new Error('no Chromium in PATH: install chromium, or set CHROME_PATH');
  }
  await fetchMermaid(folder);
  const diagrams = diagramsOf(await readPages());
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(DRAW_TIMEOUT_MS);
    await page.addScriptTag({ path: join(folder, 'package/dist/mermaid.min.js') });
    for (const { name, source } of diagrams) {
      const drawn = await page.evaluate(
        async ([config, id, text]) => {
          const { mermaid } = globalThis as unknown as { mermaid: Mermaid };
          mermaid.initialize(config);
          return (await mermaid.render(id, text)).svg;
        },
        [CONFIG, `diagram-${name}`, source] as const,
      );
      await writeFile(join(DIAGRAMS_FOLDER, `${name}.svg`), `${tidied(drawn)}\n`);
      console.log(`drew ${name}.svg`);
    }
  } finally {
    await browser.close();
  }
  const known = new Set(diagrams.map(({ name }) => `${name}.svg`));
  const old = (await readdir(DIAGRAMS_FOLDER)).filter((name) => !known.has(name));
  await Promise.all(old.map((name) => rm(join(DIAGRAMS_FOLDER, name))));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function fetchMermaid(into: string): Promise<void> {
  const options = {
    cwd: into,
    env: childEnvironment(process.env, dirname(process.execPath)),
    timeout: FETCH_TIMEOUT_MS,
  };
  const npm = [findNpm(), 'pack', '--silent', PACKAGE];
  const { stdout } = await promisify(execFile)(process.execPath, npm, options);
  await promisify(execFile)('tar', ['-xzf', stdout.trim()], options);
}

/** With the page's colours, without what nobody reads, and with one decimal instead of ten. */
function tidied(svg: string): string {
  const plain = svg
    .replaceAll(/ data-[a-z-]+="[^"]*"/g, '')
    .replaceAll(/(\d+\.\d)\d+/g, '$1')
    .replaceAll(/@keyframes [^{]*\{[^}]*\}\}/g, '');
  return Object.entries(COLOURS).reduce(
    (text, [colour, variable]) => text.replaceAll(new RegExp(colour, 'gi'), variable),
    plain,
  );
}
