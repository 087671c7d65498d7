import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkArchitecture } from './architecture/check-architecture.ts';
import { longFiles } from './architecture/content-rules.ts';
import { SIZE_LIMITS } from './architecture/size-rules.ts';
import { readSourceTree } from './architecture/source-tree.ts';
import type { Violation } from './architecture/violation.ts';

const root = join(import.meta.dirname, '..');

// Length is a guide, not a fence: it is said and never fails.
for (const file of longFiles(readSourceTree(root))) console.warn(`longer than the guide: ${file}`);

describe('this checkout', () => {
  function broken(chosen: (found: Violation) => boolean): string[] {
    return checkArchitecture(root)
      .filter(chosen)
      .map(({ rule, path, message }) => `[${rule}] ${path}: ${message}`);
  }

  it('keeps the rules of the house', () => {
    expect(broken(({ rule }) => rule !== 'unused')).toEqual([]);
  });

  it('holds no file that no program reaches', () => {
    expect(broken(({ rule }) => rule === 'unused')).toEqual([]);
  });

  it('is read whole', () => {
    const { files, edges } = readSourceTree(root);
    expect(files.length).toBeGreaterThan(50);
    expect(edges.length).toBeGreaterThan(50);
  });
});

describe('a planted fault', () => {
  const cp = 'control-plane/src';
  const entry = 'runner/src/main.ts';
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-architecture-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function plant(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  /** Plants files that are not too small to stand alone. */
  function plantLong(files: Record<string, string>): void {
    plant(
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [path, `${text}\n${'// more\n'.repeat(20)}`]),
      ),
    );
  }

  /** Plants the files and tells which rules they break, those that no program reaches aside. */
  function rulesBroken(files: Record<string, string>): string[] {
    plant(files);
    return checkArchitecture(folder)
      .filter(({ rule }) => rule !== 'unused')
      .map(({ rule, path }) => `${rule} ${path}`);
  }

  // A default export: these files are named for what is tested, not for what they hold.
  const target = 'export const value = 1;\nexport type Value = number;\nexport default value;\n';

  it('is not seen where there is none', () => {
    plantLong({
      'shared/src/ids.ts': target,
      'control-plane/cli/switchyard.ts':
        "import '../src/app.ts';\nimport '@switchyard/runner/main';",
      [`${cp}/app.ts`]: "export { value } from './issues/routes.ts';\nexport const app = 1;",
      [`${cp}/issues/routes.ts`]:
        "import './decide.ts';\nimport './few.ts';\nimport '../ports.ts';\n" + target,
      [`${cp}/issues/decide.ts`]:
        "import '@switchyard/shared/ids';\nimport type { Value } from './issue.ts';\nexport const v: Value = 1;",
      [`${cp}/issues/issue.ts`]: target,
      [entry]: "import '@switchyard/shared/ids';\nimport('./lazy.ts');",
      'runner/src/lazy.ts':
        "new URL('./worker.mjs', import.meta.url);\ngit(['diff', '--raw', '-z']);\nthrow Error('git diff is unclear');\nsh(`\ngit ls-files -tz | x\n`);",
      'runner/src/worker.mjs': 'export const worker = 1;',
      'dashboard/src/main.tsx':
        "import type { app } from '@switchyard/control-plane/app';\nexport type A = typeof app;",
      'test/architecture.test.ts': target,
      // One boolean alone is told by the function's name, fields have names, and assertions are known.
      [`${cp}/ports.ts`]:
        "import '@switchyard/shared/ids';\nexport function port(isOpen: boolean): void {}\n" +
        'export const put = (a: 1, b: 2, c: 3, { isOpen }: { isOpen: boolean }) => a;\n' +
        'export function assert(holds: boolean, why: string): asserts holds {}',
      // Lists at what they count, digests, and text at a place that was found in it.
      [`${cp}/issues/few.ts`]:
        "rows.slice(0, MAX_ROWS);\ncommitSha.slice(0, 12);\nname.slice(0, name.indexOf('.'));\n" +
        'lines.slice(-SHOWN);\ntext.slice(PREFIX.length);\nname.slice(0, -1);\nword.slice(1);\n' +
        target,
      'README.md': '# x',
    });
    expect(checkArchitecture(folder)).toEqual([]);
  });

  const cases: [string, Record<string, string>, string][] = [
    [
      'a runner file that opens paths without a word of whose they are',
      { 'runner/src/attempt/look.ts': "import { stat } from 'node:fs/promises';\nstat('.');" },
      'paths runner/src/attempt/look.ts',
    ],
    [
      'a call of git whose names of files are quoted',
      { 'runner/src/list.ts': "git.run({ args: ['-c', 'a.b=c', 'ls-tree', '-r', 'HEAD'] });" },
      'git runner/src/list.ts',
    ],
    [
      'the same in arguments of a function',
      { 'control-plane/cli/list.ts': "await git('status', '--porcelain');" },
      'git control-plane/cli/list.ts',
    ],
    [
      'the same in a shell script',
      {
        'runner/src/script.ts':
          'export const script = `\nif a; then b=$(git diff --name-only "$c"); fi\n`;',
      },
      'git runner/src/script.ts',
    ],
    [
      'the same in a shell program of its own',
      { 'runner/src/list.sh': '#!/bin/sh\nfor a; do\n  git ls-files -- "$a" | wc -l\ndone\n' },
      'git runner/src/list.sh',
    ],
    [
      'a second word for what a person does to an issue',
      { 'dashboard/src/stop.ts': "export const stop = 'stop requested';" },
      'act dashboard/src/stop.ts',
    ],
    [
      'the same between paths that look like a comment',
      {
        'dashboard/src/stop.ts':
          "export const all = 'src/*';\nexport const stop = 'stop requested';\nexport const deep = 'src/**/x';",
      },
      'act dashboard/src/stop.ts',
    ],
    [
      'the same as a label',
      { 'dashboard/src/stop.tsx': 'export const stop = <b>Abort</b>;' },
      'act dashboard/src/stop.tsx',
    ],
    [
      'the same on a page',
      { 'docs/page.md': 'Code may say `abort`.\n\nA person aborts the attempt.' },
      'act docs/page.md',
    ],
    [
      'folders that import each other',
      {
        [`${cp}/issues/show.ts`]: "import '../attempts/start.ts';",
        [`${cp}/attempts/start.ts`]:
          "import type { Value } from '../issues/issue.ts';\nexport type V = Value;",
        [`${cp}/issues/issue.ts`]: target,
      },
      `acyclic ${cp}/attempts`,
    ],
    [
      'rooms whose inner folders import each other in no circle, but the rooms do',
      {
        [`${cp}/issues/sync/read.ts`]: "import '../../attempts/rows/store.ts';",
        [`${cp}/attempts/rows/store.ts`]: target,
        [`${cp}/attempts/prompt/render.ts`]:
          "import type { Value } from '../../issues/rows/issue.ts';\nexport type V = Value;",
        [`${cp}/issues/rows/issue.ts`]: target,
      },
      `acyclic ${cp}/attempts`,
    ],
    [
      'packages that import each other',
      {
        'control-plane/cli/commands/demo.ts': "import '../../demo/run.ts';",
        'control-plane/demo/run.ts': "import '../cli/client/ask.ts';",
        'control-plane/cli/client/ask.ts': target,
      },
      'acyclic control-plane/cli',
    ],
    [
      'a knot of three folders, one edge through import()',
      {
        'runner/src/a/one.ts': "import '../b/two.ts';",
        'runner/src/b/two.ts': "export { value } from '../c/three.ts';\nexport const x = 1;",
        'runner/src/c/three.ts': `export const load = () => import('../a/one.ts');\n${target}`,
      },
      'acyclic runner/src/a',
    ],
    [
      'a root file inside a knot',
      {
        [`${cp}/deps.ts`]:
          "import type { Value } from './events/append.ts';\nexport type V = Value;",
        [`${cp}/events/append.ts`]: `import type { V } from '../deps.ts';\nexport type W = V;\n${target}`,
      },
      `acyclic ${cp}/deps.ts`,
    ],
    [
      'decide.ts with a value from its feature',
      {
        [`${cp}/dispatch/decide.ts`]:
          "import { value } from './queries.ts';\nexport const d = value;",
        [`${cp}/dispatch/queries.ts`]: target,
      },
      `decide ${cp}/dispatch/decide.ts`,
    ],
    [
      'decide.ts with a type of another feature',
      {
        [`${cp}/dispatch/decide.ts`]:
          "import type { Value } from '../issues/issue.ts';\nexport type D = Value;",
        [`${cp}/issues/issue.ts`]: target,
      },
      `decide ${cp}/dispatch/decide.ts`,
    ],
    [
      'decide.ts with a package',
      { [`${cp}/dispatch/decide.ts`]: "import { sql } from 'drizzle-orm';\nexport const d = sql;" },
      `decide ${cp}/dispatch/decide.ts`,
    ],
    [
      "another feature's routes",
      {
        [`${cp}/setup/show.ts`]: "import '../issues/routes.ts';",
        [`${cp}/issues/routes.ts`]: target,
      },
      `routes ${cp}/setup/show.ts`,
    ],
    [
      'a platform in the core',
      {
        [`${cp}/issues/show.ts`]: "import '../platform/node/files.ts';",
        [`${cp}/platform/node/files.ts`]: target,
      },
      `platform ${cp}/issues/show.ts`,
    ],
    [
      'one platform in the other',
      {
        [`${cp}/platform/worker/worker.ts`]: "import '../node/files.ts';",
        [`${cp}/platform/node/files.ts`]: target,
      },
      `platform ${cp}/platform/worker/worker.ts`,
    ],
    [
      'a feature in an integration',
      {
        [`${cp}/integrations/local/poll.ts`]:
          "import type { Value } from '../../issues/issue.ts';\nexport type V = Value;",
        [`${cp}/issues/issue.ts`]: target,
      },
      `adapter ${cp}/integrations/local/poll.ts`,
    ],
    [
      'the secrets in an integration',
      {
        [`${cp}/integrations/local/poll.ts`]: "import '../../config/secrets/set-secret.ts';",
        [`${cp}/config/secrets/set-secret.ts`]: target,
      },
      `adapter ${cp}/integrations/local/poll.ts`,
    ],
    [
      'the control plane in the runner, as a type',
      {
        [entry]:
          "import type { Value } from '@switchyard/control-plane/app';\nexport type V = Value;",
        [`${cp}/app.ts`]: target,
      },
      `runner ${entry}`,
    ],
    [
      'the runner in the core',
      { [`${cp}/app.ts`]: "import '@switchyard/runner/main';", [entry]: target },
      `control-plane ${cp}/app.ts`,
    ],
    [
      'a workspace in shared',
      { 'shared/src/ids.ts': "import '@switchyard/runner/main';", [entry]: target },
      'shared shared/src/ids.ts',
    ],
    [
      'what only Node can do in the core',
      {
        [`${cp}/app.ts`]: "import '@switchyard/shared/host/hold-folder';",
        'shared/src/host/hold-folder.ts': target,
      },
      `host ${cp}/app.ts`,
    ],
    [
      'what only Node can do on another platform',
      {
        [`${cp}/platform/workers/worker.ts`]: "import '@switchyard/shared/host/hold-folder';",
        'shared/src/host/hold-folder.ts': target,
      },
      `host ${cp}/platform/workers/worker.ts`,
    ],
    [
      "the control plane's code in the dashboard",
      {
        'dashboard/src/main.tsx':
          "import { value } from '@switchyard/control-plane/app';\nexport const v = value;",
        [`${cp}/app.ts`]: target,
      },
      'dashboard dashboard/src/main.tsx',
    ],
    [
      'the runner in the dashboard, as a type',
      {
        'dashboard/src/main.tsx':
          "import type { Value } from '@switchyard/runner/main';\nexport type V = Value;",
        [entry]: target,
      },
      'dashboard dashboard/src/main.tsx',
    ],
    [
      'test code in the product',
      { [entry]: "import '../../test/support/docker.ts';", 'test/support/docker.ts': target },
      `tests ${entry}`,
    ],
    [
      'files of one folder that import each other, as types',
      {
        'runner/src/attempt/run.ts': "import type { V } from './end.ts';\nexport type R = V;",
        'runner/src/attempt/end.ts': "import type { R } from './run.ts';\nexport type V = R;",
      },
      'acyclic runner/src/attempt/end.ts',
    ],
    [
      'a folder with more files than a glance takes in',
      Object.fromEntries(
        Array.from({ length: 16 }, (_, at) => [`runner/src/attempt/step-${at}.ts`, target]),
      ),
      'crowded runner/src/attempt',
    ],
    [
      'more folders in the core than a glance takes in',
      Object.fromEntries(
        Array.from({ length: SIZE_LIMITS.coreFolders + 1 }, (_, at) => [
          `${cp}/feature-${at}/show.ts`,
          target,
        ]),
      ),
      `crowded ${cp}`,
    ],
    [
      'a platform that holds more than adapters',
      { [`${cp}/app.ts`]: target, [`${cp}/platform/node/files.ts`]: target.repeat(9) },
      `platform-size ${cp}/platform/`,
    ],
    [
      'a table that a stranger writes through drizzle',
      {
        [`${cp}/db/schema/work/issues.ts`]: "export const issues = sqliteTable(\n  'issues', {});",
        [`${cp}/runners/protocol/accept.ts`]: 'db\n  .update(issues)\n  .set({});\n' + target,
      },
      `table-owner ${cp}/runners/protocol/accept.ts`,
    ],
    [
      'a table that a stranger writes in SQL',
      {
        [`${cp}/db/schema/work/pull-requests.ts`]:
          "export const pullRequests = sqliteTable('pull_requests', {});",
        [`${cp}/integrations/github/store.ts`]: 'db.run(sql`insert into pull_requests (id)`);\n',
      },
      `table-owner ${cp}/integrations/github/store.ts`,
    ],
    [
      'a table without an owner',
      { [`${cp}/db/schema/work/dreams.ts`]: "export const dreams = sqliteTable('dreams', {});" },
      `table-owner ${cp}/db/schema/`,
    ],
    ['a shapeless name', { 'runner/src/git-utils.ts': target }, 'names runner/src/git-utils.ts'],
    [
      'a file that is named after none of its exports',
      { 'runner/src/attempt/look.ts': 'export const startAttempt = 1;\n' },
      'export-name runner/src/attempt/look.ts',
    ],
    ...[
      'export function look(name: string, isOpen: boolean): void {}',
      'export const look = (name: string, isOpen = false) => name;',
      'export type Look = { at(name: string, isOpen?: boolean): void };',
      'export class Look { at(isOpen: boolean, name: string): void {} }',
    ].map((line): [string, Record<string, string>, string] => [
      `a boolean beside other parameters: ${line}`,
      { 'control-plane/cli/look.ts': line },
      'flag control-plane/cli/look.ts',
    ]),
    [
      'a function with five parameters',
      { 'control-plane/cli/look.ts': 'export const look = (a: 1, b: 2, c: 3, d: 4, e: 5) => a;' },
      'parameters control-plane/cli/look.ts',
    ],
    ...[
      'export const show = (deps: Deps) => deps;',
      'export const show = ({ a }: Deps) => a;',
      "export const show = (deps: Pick<Deps, 'a' | 'b' | 'c' | 'd'> & Omit<Deps, 'a'>) => deps;",
      'type ShowDeps = Deps; export class Show { constructor(deps: ShowDeps) {} }',
      'export const show = (deps: ReturnType<typeof make>) => deps;',
    ].map((line): [string, Record<string, string>, string] => [
      `seven dependencies: ${line}`,
      {
        [`${cp}/deps.ts`]: 'export type Deps = { a: 1; b: 1; c: 1; d: 1; e: 1; f: 1; g: 1 };',
        [`${cp}/issues/show.ts`]: `import type { Deps } from '../deps.ts';\n${line}`,
      },
      `dependencies ${cp}/issues/show.ts`,
    ]),
    ['types.ts', { 'shared/src/types.ts': target }, 'names shared/src/types.ts'],
    ['a shapeless folder', { 'runner/src/helpers/x.ts': target }, 'names runner/src/helpers/x.ts'],
    ['a name in camel case', { 'runner/src/gitClone.ts': target }, 'names runner/src/gitClone.ts'],
    [
      'a barrel',
      { 'shared/src/all.ts': "export * from './ids.ts';\nexport { value } from './ids.ts';" },
      'barrel shared/src/all.ts',
    ],
    [
      'a mocked module',
      { 'runner/src/clone.test.ts': "import { vi } from 'vitest';\nvi.mock('./clone.ts');" },
      'mock runner/src/clone.test.ts',
    ],
    [
      'a page that names a file which has gone',
      { 'docs/setup.md': 'See `runner/src/gone.ts` and `runner/src/main.ts`.', [entry]: target },
      'docs docs/setup.md',
    ],
    [
      'a module that is swapped as it is loaded',
      {
        'test/support/swap.ts':
          "import { registerHooks } from 'node:module';\nregisterHooks({ load: () => null });",
      },
      'module-hook test/support/swap.ts',
    ],
    [
      'a built-in function that is overwritten',
      { 'test/support/swap.ts': "import m from 'node:module';\nm.syncBuiltinESMExports();" },
      'module-hook test/support/swap.ts',
    ],
    [
      'a file in words of our own',
      { [`${cp}/issues/look-at-all.ts`]: 'export const lookAtAll = 1;\n' + target },
      `dialect ${cp}/issues/look-at-all.ts`,
    ],
    [
      'an export in words of our own',
      { [`${cp}/issues/show.ts`]: 'export const HEARD = 1;\nexport const show = 1;\n' + target },
      `dialect ${cp}/issues/show.ts`,
    ],
    ...[
      'const told = 1;',
      'const first = ({ at: [words] }) => words;',
      'function setAll(...mine) {}',
      'type Listener = (said: string) => void;',
      'try { show(); } catch (told) {}',
    ].map((line): [string, Record<string, string>, string] => [
      `a name in words of our own: ${line}`,
      { [`${cp}/issues/show.ts`]: `${line}\nexport const show = 1;\n${target}` },
      `dialect ${cp}/issues/show.ts`,
    ]),
    ['a stranger at the top', { 'notes/todo.md': 'x' }, 'top-level notes'],
    [
      "the engine's name outside its folder",
      { 'runner/src/attempt/run.ts': '// waits for Codex\n' + target },
      'engine runner/src/attempt/run.ts',
    ],
    ...[
      'export const look = (said: string) => said.slice(0, MAX_SAID);',
      "title?.slice(0, MAX_CHARS - 1) ?? '';",
      "(said.body ?? '').slice(0, 5);",
      'text.slice(2 - MAX_CHARS);',
      'messageOf(error).slice(-LIMIT);',
      '`${a} ${b}`.slice(from, from + 200);',
      'whatever.slice(0, 500);',
      'known.substring(1);',
    ].map((line): [string, Record<string, string>, string] => [
      `text that is cut at any place: ${line}`,
      { [`${cp}/issues/show.ts`]: `${line}\n${target}` },
      `text-cut ${cp}/issues/show.ts`,
    ]),
    ...['c.json({ title });', 'fetch(url, { body: JSON.stringify(issue) });'].map(
      (line): [string, Record<string, string>, string] => [
        `JSON that leaves as it is: ${line}`,
        { [`${cp}/issues/show.ts`]: `${line}\n${target}` },
        `json-out ${cp}/issues/show.ts`,
      ],
    ),
    [
      "a provider's name outside its integration",
      { [`${cp}/issues/show.ts`]: '// as Linear does\n' + target },
      `provider ${cp}/issues/show.ts`,
    ],
  ];

  it.each(cases)('is caught: %s', (_name, files, expected) => {
    expect(rulesBroken(files)).toContain(expected);
  });

  describe('of size: a small file', () => {
    const one = { [entry]: "import './step.ts';", 'runner/src/step.ts': target };
    const small = 'small-file runner/src/step.ts';

    it('is caught when one file imports it, as a type, from another workspace, or beside a test', () => {
      expect(rulesBroken(one)).toEqual([small]);
      expect(rulesBroken({ [entry]: "import type { V } from './step.ts';" })).toEqual([small]);
      expect(rulesBroken({ 'test/step.test.ts': "import '../runner/src/step.ts';" })).toEqual([
        small,
      ]);
      expect(
        rulesBroken({
          [entry]: "import '@switchyard/shared/ids';",
          'shared/src/ids.ts': target,
        }),
      ).toEqual(['small-file shared/src/ids.ts']);
    });

    it('stays with 21 lines, a second importer, a test of its own or a reason', () => {
      const long = { ...one, 'runner/src/step.ts': target + '\n'.repeat(18) };
      expect(rulesBroken(long)).toEqual([]);
      const twice = { ...one, 'runner/src/attempt/run.ts': "import '../step.ts';" };
      expect(rulesBroken(twice)).toEqual([]);
      rmSync(join(folder, 'runner/src/attempt'), { recursive: true });
      expect(rulesBroken(one)).toEqual([small]);
      expect(rulesBroken({ 'runner/src/step.test.ts': "import './step.ts';" })).toEqual([]);
      const reason = {
        'control-plane/cli/switchyard.ts': "import './commands/stop.ts';",
        'control-plane/cli/commands/stop.ts': target,
      };
      expect(rulesBroken(reason)).toEqual([]);
    });

    it('is needed by each reason in the list', () => {
      const list = 'test/architecture/small-file-rules.ts';
      plant({ ...one, [list]: target });
      const idle = checkArchitecture(folder).filter(({ path }) => path === list);
      expect(idle).toContainEqual({
        rule: 'small-file',
        path: list,
        message: expect.stringContaining('no file needs the reason for'),
      });
    });
  });

  it('is caught: a file that only a test uses', () => {
    plant({
      [entry]: target,
      'runner/src/idle.ts': target,
      'runner/src/idle.test.ts': "import './idle.ts';",
      'runner/src/program.ts': '#!/usr/bin/env node\n' + target,
    });
    expect(checkArchitecture(folder)).toEqual([
      { rule: 'unused', path: 'runner/src/idle.ts', message: 'no program imports this file' },
    ]);
  });

  it('is caught: a file that does not parse', () => {
    plant({ [entry]: 'import {' });
    expect(() => checkArchitecture(folder)).toThrow(entry);
  });
});
