import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import type { WorkspaceFixture } from '../testing/workspace-fixture.ts';
import { outsideScope } from './outside-scope.ts';

const FILES = 4_000;
const GLOBS = 100;

let fixture: WorkspaceFixture;
beforeAll(async () => {
  fixture = await makeWorkspaceFixture();
});
afterAll(() => fixture.dispose());

/** A commit with a folder as package managers make it; gives what it begins with, too. */
function commitMany(): { baseCommit: string; commitSha: string } {
  const { remotePath } = fixture;
  const baseCommit = fixture.git(remotePath, 'rev-parse', 'main').trim();
  const files = Array.from(
    { length: FILES },
    (_, index) =>
      `M 100644 inline node_modules/package-${index % 100}/dist/${index}.js\ndata 0\n\n`,
  );
  const commit = `commit refs/heads/many\ncommitter A <a@b.c> 0 +0000\ndata 1\nx\nfrom ${baseCommit}\n`;
  execFileSync('git', ['-C', remotePath, 'fast-import', '--quiet'], {
    input: commit + files.join(''),
  });
  return { baseCommit, commitSha: fixture.git(remotePath, 'rev-parse', 'many').trim() };
}

describe('very many files outside the scope', { timeout: 60_000 }, () => {
  it('are counted while the runner goes on with its other work', async () => {
    const range = { mirrorPath: fixture.remotePath, ref: 'many', ...commitMany() };
    const scope = Array.from({ length: GLOBS }, (_, index) => `packages/${index}/**/*.{ts,tsx}`);
    let [lastMs, longestMs] = [performance.now(), 0];
    const other = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    }, 5);
    const { files } = await outsideScope(fixture.workspaces, range, scope);
    await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(other);
    expect(files).toBe(FILES);
    expect(longestMs).toBeLessThan(1_000);
  });
});
