import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { DEFAULT_PUSH_LIMITS, checkPush } from './check-push.ts';

const RUNS = 60;
const PROTECTED_RULES = ['workflow_file', 'hook_file', 'engine_config'];

/** Every path that a history may touch, and by hand whether people alone may change it. */
const PATHS: Record<string, boolean> = {
  'src/app.txt': false,
  '.github/CODEOWNERS': false,
  'docs/.github/workflows/ci.yml': false,
  'workflows/.evil.yml': false,
  '.github/workflows/ci.yml': true,
  '.github/workflows/.evil.yml': true,
  '.github/workflows/a/.b/c.yml': true,
  '.GitHub/WorkFlows/.Evil.yml': true,
  '.husky/.d/pre-commit': true,
  '.hu\u017Fky/pre-commit': true,
  '.githooks': true,
  'lefthook.yml': true,
  '.codex/.hidden': true,
  'sub/.deep/.codex/.x': true,
};
const NAMES = Object.keys(PATHS);
const VALUES = ['100644 one', '100644 two', '100755 one', '120000 src'] as const;

type Tree = ReadonlyMap<string, string>;
type Step = {
  parents: number[];
  /** Whose tree is begun with, of all commits so far: mostly a parent's. */
  from: number;
  edits: { path: number; value: number; restoreFrom: number | null }[];
};
type Commit = { tree: Tree; parents: number[] };

const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      parents: fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }),
      from: fc.nat(30),
      edits: fc.array(
        fc.record({
          path: fc.nat(NAMES.length - 1),
          value: fc.nat(VALUES.length),
          restoreFrom: fc.option(fc.nat(30)),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength },
  );

function edited(tree: Tree, edits: Step['edits'], commits: readonly Commit[]): Tree {
  const next = new Map(tree);
  for (const { path, value, restoreFrom } of edits) {
    const name = NAMES[path] ?? '';
    const old = restoreFrom === null ? undefined : commits[restoreFrom % commits.length]?.tree;
    const wanted = old === undefined ? VALUES[value] : old.get(name);
    if (wanted === undefined) next.delete(name);
    else next.set(name, wanted);
  }
  return next;
}

/** People's commits one after the other, then the agent's on any of all of them. */
function grow(people: readonly Step[], agent: readonly Step[]): Commit[] {
  const commits: Commit[] = [{ tree: new Map([['src/app.txt', '100644 one']]), parents: [] }];
  for (const { edits } of people) {
    const last = commits.length - 1;
    commits.push({
      tree: edited(commits[last]?.tree ?? new Map(), edits, commits),
      parents: [last],
    });
  }
  for (const { parents, from, edits } of agent) {
    const on = [...new Set(parents.map((parent) => parent % commits.length))];
    const start = commits[from % 2 === 0 ? (on[0] ?? 0) : from % commits.length];
    commits.push({ tree: edited(start?.tree ?? new Map(), edits, commits), parents: on });
  }
  return commits;
}

function ancestors(commits: readonly Commit[], tip: number): Set<number> {
  const seen = new Set<number>();
  const open = [tip];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(commits[at]?.parents ?? []));
  }
  return seen;
}

/** The rule, said as simply as can be: no commit's protected files differ from people's latest. */
function mustBeRefused(commits: readonly Commit[], base: number, peoples: number): boolean {
  const own = [...ancestors(commits, commits.length - 1)].filter((at) => at >= peoples);
  return own.some((at) => {
    const seen = [...ancestors(commits, at)].filter((one) => one < peoples);
    const latest = commits[Math.max(base, ...seen)]?.tree;
    return NAMES.some((name) => PATHS[name] && commits[at]?.tree.get(name) !== latest?.get(name));
  });
}

function importStream(commits: readonly Commit[], peoples: number): string {
  const lines: string[] = [];
  for (const [index, { tree, parents }] of commits.entries()) {
    const ref = index < peoples ? 'refs/heads/main' : `refs/switchyard/c${index}`;
    lines.push(`reset ${ref}`, '', `commit ${ref}`, `mark :${index + 1}`);
    lines.push(`committer D <d@example.test> ${1_700_000_000 + index} +0000`, 'data 1', 'x');
    for (const [place, parent] of parents.entries())
      lines.push(`${place === 0 ? 'from' : 'merge'} :${parent + 1}`);
    lines.push('deleteall');
    for (const [name, value] of tree) {
      const [mode = '', text = ''] = value.split(' ');
      lines.push(`M ${mode} inline ${name}`, `data ${text.length}`, text);
    }
    lines.push('');
  }
  return lines.join('\n');
}

describe('any history that could be pushed', () => {
  let fixture: WorkspaceFixture;
  beforeAll(async () => {
    fixture = await makeWorkspaceFixture();
  });
  afterAll(() => fixture.dispose());

  async function verdict(commits: readonly Commit[], base: number, peoples: number) {
    const mirrorPath = join(fixture.folder, 'history.git');
    await rm(mirrorPath, { recursive: true, force: true });
    fixture.git(fixture.folder, 'init', '-q', '--bare', mirrorPath);
    const marks = join(mirrorPath, 'marks');
    execFileSync('git', ['fast-import', '--quiet', '--force', `--export-marks=${marks}`], {
      cwd: mirrorPath,
      input: importStream(commits, peoples),
    });
    const ids = new Map(
      (await readFile(marks, 'utf8'))
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    const idOf = (index: number): string => ids.get(`:${index + 1}`) ?? '';
    const problems = await checkPush(fixture.workspaces, {
      mirrorPath,
      baseCommit: idOf(base),
      commitSha: idOf(commits.length - 1),
      knownSecrets: [],
      engineConfigPaths: ['.codex/**', '**/.codex/**'],
      limits: DEFAULT_PUSH_LIMITS,
    });
    return problems.filter(({ rule }) => PROTECTED_RULES.includes(rule)).map(({ path }) => path);
  }

  it(
    'passes exactly when no commit of it differs from people at a protected path',
    { timeout: 240_000 },
    async () => {
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(steps(4), steps(5), fc.nat(4), async (people, agent, at) => {
          const commits = grow(people, agent);
          const peoples = people.length + 1;
          const base = at % peoples;
          const found = await verdict(commits, base, peoples);
          const expected = mustBeRefused(commits, base, peoples);
          if (expected) refused += 1;
          expect(found.length > 0, JSON.stringify({ base, found })).toBe(expected);
        }),
        { numRuns: RUNS },
      );
      // Both kinds were there, or nothing was shown.
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThan(RUNS);
    },
  );
});
