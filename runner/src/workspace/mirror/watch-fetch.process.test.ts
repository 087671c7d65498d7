import { expect, it } from 'vitest';
import { type GitProgress, throttleProgress } from '../git/git-progress.ts';
import { makeWorkspaceFixture } from '../testing/workspace-fixture.ts';
import { watchFetch } from './watch-fetch.ts';
import { mirrorPathOf, updateMirror } from './mirror.ts';

it('tells everybody who watches a mirror how far its fetch is, and nobody else', async () => {
  const fixture = await makeWorkspaceFixture();
  try {
    const { workspaces, source } = fixture;
    const heard: GitProgress[][] = [[], [], []];
    const listen = (path: string, index: number): (() => void) =>
      watchFetch(path, (progress) => heard[index]?.push(progress));
    const path = mirrorPathOf(workspaces, source);
    const [, second] = [listen(path, 0), listen(path, 1), listen(`${path}-other`, 2)];
    await updateMirror(workspaces, source);
    const done = { step: 'receiving objects', percent: 100 };
    expect(heard).toEqual([expect.arrayContaining([done]), expect.arrayContaining([done]), []]);
    second();
    const before = heard.map((all) => all.length);
    await fixture.commitOnRemote('main', { 'x.txt': 'x\n' });
    await updateMirror(workspaces, source);
    expect(heard[0]?.length).toBeGreaterThan(before[0] ?? 0);
    expect(heard[1]).toHaveLength(before[1] ?? 0);
  } finally {
    await fixture.dispose();
  }
});

it('leaves out what comes too soon', () => {
  let nowMs = 0;
  const told: number[] = [];
  const hear = throttleProgress(
    () => nowMs,
    2_000,
    ({ percent }) => told.push(percent),
  );
  for (let percent = 0; percent <= 100; percent += 1) {
    nowMs = percent * 100;
    hear({ step: 'receiving objects', percent });
  }
  expect(told).toEqual([20, 40, 60, 80, 100]);
});
