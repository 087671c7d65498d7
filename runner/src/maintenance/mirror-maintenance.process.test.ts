import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../connection/testing/fake-clock.ts';
import { objectSteps } from '../workspace/lfs-host/parse-pointer.ts';
import { lfsStorePath, storeObject } from '../workspace/lfs/store-object.ts';
import { countObjects } from '../workspace/mirror/count-objects.ts';
import { type Mirror, updateMirror } from '../workspace/mirror/mirror.ts';
import { openWorkspaces, type Workspaces } from '../workspace/open-workspaces.ts';
import { prepareWorkspace } from '../workspace/prepare-workspace.ts';
import { removeWorkspace } from '../workspace/remove-workspace.ts';
import { sha256 } from '../workspace/testing/lfs-host.ts';
import { type GatedGit, gatedGit } from '../workspace/testing/gated-git.ts';
import type { WorkspaceFixture } from '../workspace/testing/workspace-fixture.ts';
import { makeWorkspaceFixture, testIdentity } from '../workspace/testing/workspace-fixture.ts';
import type { PreparedWorkspace } from '../workspace/workspace.ts';
import { MirrorMaintenance } from './mirror-maintenance.ts';

const DAY_MS = 86_400_000;

let fixture: WorkspaceFixture;
let workspaces: Workspaces;
let git: GatedGit;
let clock: FakeClock;
let warnings: string[];
let isIdle: boolean;
/** Each time that somebody asked for the lock of a mirror. */
let lockAsked: string[];
let maintenance: MirrorMaintenance;
beforeEach(async () => {
  fixture = await makeWorkspaceFixture();
  git = await gatedGit(fixture.folder);
  const rootPath = join(fixture.folder, 'root');
  const opened = await openWorkspaces({
    rootPath,
    workIdentity: null,
    gitPath: git.gitPath,
    allowFolders: [fixture.folder],
  });
  lockAsked = [];
  workspaces = {
    ...opened,
    lock: (key, work) => {
      if (key.startsWith('mirror:')) lockAsked.push(key);
      return opened.lock(key, work);
    },
  };
  clock = new FakeClock();
  warnings = [];
  isIdle = true;
  const log = {
    info: () => undefined,
    error: () => undefined,
    warn: (text: string, fields: object = {}) => void warnings.push(text + JSON.stringify(fields)),
  };
  maintenance = new MirrorMaintenance({ workspaces, clock, log, isIdle: () => isIdle });
});
afterEach(() => fixture.dispose());

const { signal } = new AbortController();
const prepare = (identifier: string): Promise<PreparedWorkspace> =>
  prepareWorkspace(workspaces, {
    issue: { identifier, title: 'Fix it' },
    source: fixture.source,
    identity: testIdentity,
    nowMs: 1,
  });
/** One pack for each fetch. */
async function fetchOften(times: number): Promise<Mirror> {
  let mirror = await updateMirror(workspaces, fixture.source);
  for (const commit of await manyCommits(times - 1)) {
    await writeFile(join(fixture.remotePath, 'refs', 'heads', 'main'), `${commit}\n`);
    mirror = await updateMirror(workspaces, fixture.source);
  }
  return mirror;
}
/** Commits on top of the remote's `main`, oldest first, that no branch has yet. */
async function manyCommits(count: number): Promise<string[]> {
  const { remotePath } = fixture;
  const commits = Array.from({ length: count }, (_, index) => {
    const text = `${index} ${fixture.git(remotePath, 'rev-parse', 'main')}`;
    const head = `commit refs/drafts/one\ncommitter Dev <dev@example.test> ${1_700_000_000 + index} +0000\n`;
    const from = index === 0 ? 'from refs/heads/main\n' : '';
    return `${head}data 1\nx\n${from}M 644 inline src/app.txt\ndata ${text.length}\n${text}\n`;
  });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: remotePath, input: commits.join('') });
  const list = fixture.git(remotePath, 'rev-list', '--reverse', 'main..refs/drafts/one').trim();
  return list.split('\n');
}
const inMirror = (mirror: Pick<Mirror, 'path'>, ...args: string[]): string =>
  fixture.git(mirror.path, ...args).trim();
const callsOf = async (word: string): Promise<string[]> =>
  (await git.calls()).filter((call) => call.endsWith(` ${word}`));
/** Makes the weekly collection due. */
async function weekLater({ path }: Pick<Mirror, 'path'>): Promise<void> {
  const marker = join(path, 'switchyard-collected');
  const then = new Date(clock.nowMs() - 8 * DAY_MS);
  await writeFile(marker, '');
  await utimes(marker, then, then);
}
/** A commit that nothing leads to, as old as given. */
async function abandon(mirror: Mirror, days: number): Promise<string> {
  const tree = inMirror(mirror, 'rev-parse', 'HEAD^{tree}');
  const commit = inMirror(mirror, 'commit-tree', '-m', `old ${days}`, tree);
  const path = join(mirror.objectsPath, commit.slice(0, 2), commit.slice(2));
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(path, then, then);
  return commit;
}

describe('mirrors that are fetched often', { timeout: 60_000 }, () => {
  it('keep few packs, with every object and a commit graph, and are then left alone', async () => {
    const mirror = await fetchOften(30);
    const workspace = await prepare('SY-1');
    expect(await countObjects(mirror.path)).toEqual({ packs: 30, looseObjects: 0 });
    const objects = inMirror(mirror, 'rev-list', '--all', '--objects').split('\n').length;
    await maintenance.runOnce(signal);
    expect((await countObjects(mirror.path)).packs).toBeLessThanOrEqual(5);
    expect(inMirror(mirror, 'rev-list', '--all', '--objects').split('\n')).toHaveLength(objects);
    expect(inMirror(mirror, 'fsck', '--full', '--strict')).toBe('');
    expect(existsSync(join(mirror.objectsPath, 'info', 'commit-graphs'))).toBe(true);
    expect(fixture.git(workspace.path, 'status', '--porcelain')).toBe('');
    expect(fixture.git(workspace.path, 'log', '--oneline').trim().split('\n')).toHaveLength(30);
    const calls = (await callsOf('repack')).length;
    await maintenance.runOnce(signal);
    expect(await callsOf('repack')).toHaveLength(calls);
    expect(warnings).toEqual([]);
  });

  it('stay small however often they are fetched', async () => {
    let most = 0;
    for (let round = 0; round < 3; round += 1) {
      const mirror = await fetchOften(22);
      await maintenance.runOnce(signal);
      const { packs, looseObjects } = await countObjects(mirror.path);
      most = Math.max(most, packs + looseObjects);
    }
    expect(most).toBeLessThanOrEqual(8);
  });

  it('wait for more beside attempts, and are tidied up beside a fetch and a checkout', async () => {
    await fetchOften(25);
    isIdle = false;
    await maintenance.runOnce(signal);
    expect(await callsOf('repack')).toEqual([]);
    isIdle = true;
    const { reached, letGo } = await git.hold('repack');
    const looking = maintenance.runOnce(signal);
    await reached;
    await fixture.commitOnRemote('main', { 'later.txt': 'x\n' });
    expect(await prepare('SY-1')).toMatchObject({ created: true });
    await letGo();
    await looking;
    expect(fixture.git((await prepare('SY-2')).path, 'status', '--porcelain')).toBe('');
  });

  it('are looked at every five minutes until the runner ends', async () => {
    await fetchOften(25);
    const ended = new AbortController();
    const running = maintenance.run(ended.signal);
    await clock.advance(5 * 60_000 - 1);
    expect(await callsOf('repack')).toEqual([]);
    await clock.advance(1);
    await expect.poll(() => callsOf('repack')).toContain('end repack');
    ended.abort();
    await running;
  });
});

it('leaves packs and commit graphs that the user of containers can read', async () => {
  const mirror = await fetchOften(22);
  const before = process.umask(0o077);
  await maintenance.runOnce(signal).finally(() => process.umask(before));
  const names = await readdir(mirror.objectsPath, { recursive: true });
  expect(names).toContainEqual(expect.stringMatching(/\.graph$/));
  for (const name of names) {
    const found = await stat(join(mirror.objectsPath, name));
    const least = found.isDirectory() ? 0o055 : 0o044;
    expect(found.mode & least, name).toBe(least);
  }
});

describe('what nothing leads to', { timeout: 60_000 }, () => {
  it('goes after two weeks, and only where no workspace borrows', async () => {
    const mirror = await updateMirror(workspaces, fixture.source);
    const [old, young] = [await abandon(mirror, 15), await abandon(mirror, 13)];
    await maintenance.runOnce(signal);
    expect(await callsOf('gc')).toEqual([]);
    await weekLater(mirror);
    const there = () =>
      [old, young].map((commit) =>
        existsSync(join(mirror.objectsPath, commit.slice(0, 2), commit.slice(2))),
      );
    await prepare('SY-1');
    await maintenance.runOnce(signal);
    expect(await callsOf('gc')).toEqual([]);
    await removeWorkspace(workspaces, 'SY-1');
    isIdle = false;
    await maintenance.runOnce(signal);
    expect(there()).toEqual([true, true]);
    isIdle = true;
    await maintenance.runOnce(signal);
    expect(there()).toEqual([false, true]);
    expect(inMirror(mirror, 'fsck', '--full', '--strict')).toContain(young);
    await maintenance.runOnce(signal);
    expect(await callsOf('gc')).toEqual(['begin gc', 'end gc']);
  });

  it('goes with objects of Git LFS that came more than 30 days ago', async () => {
    const mirror = await updateMirror(workspaces, fixture.source);
    const [old, fresh] = ['old', 'fresh'].map((content) => ({
      content,
      oid: sha256(content),
      sizeBytes: content.length,
      pathIn: join(lfsStorePath(mirror.path), ...objectSteps(sha256(content))),
    }));
    if (old === undefined || fresh === undefined) throw new Error('two objects');
    for (const [one, days] of [[old, 31] as const, [fresh, 29] as const]) {
      await storeObject(workspaces, mirror.path, one, Readable.from([Buffer.from(one.content)]));
      const then = new Date(clock.nowMs() - days * DAY_MS);
      await utimes(one.pathIn, then, then);
    }
    await weekLater(mirror);
    await maintenance.runOnce(signal);
    expect([existsSync(old.pathIn), existsSync(fresh.pathIn)]).toEqual([false, true]);
    expect(warnings).toEqual([]);
  });

  it('stays where a record cannot be read', async () => {
    await weekLater(await updateMirror(workspaces, fixture.source));
    await writeFile(join(workspaces.paths.records, 'SY-9.json'), '{');
    await maintenance.runOnce(signal);
    expect(await callsOf('gc')).toEqual([]);
  });

  it('stays for another time when a fetch or a new workspace wants the mirror', async () => {
    const mirror = await updateMirror(workspaces, fixture.source);
    await weekLater(mirror);
    const fetchNow = () => updateMirror(workspaces, fixture.source);
    for (const [index, want] of [fetchNow, () => prepare('SY-1')].entries()) {
      const { reached } = await git.hold('gc');
      const looking = maintenance.runOnce(signal);
      await reached;
      await want();
      await looking;
      expect(await callsOf('gc')).toHaveLength(index + 1);
    }
    await removeWorkspace(workspaces, 'SY-1');
    await maintenance.runOnce(signal);
    expect((await callsOf('gc')).at(-1)).toBe('end gc');
    expect(warnings).toEqual([]);
    expect(inMirror(mirror, 'fsck', '--full', '--strict')).toBe('');
  });

  it('stays for another time when the mirror is being fetched and wanted again', async () => {
    await weekLater(await updateMirror(workspaces, fixture.source));
    const { reached, letGo } = await git.hold('fetch');
    const fetching = updateMirror(workspaces, fixture.source);
    await reached;
    const collecting = maintenance.runOnce(signal);
    await expect.poll(() => lockAsked).toHaveLength(3);
    const next = updateMirror(workspaces, fixture.source);
    await letGo();
    await Promise.all([fetching, collecting, next]);
    expect(await callsOf('gc')).toEqual([]);
  });

  it('is never cleaned up by a fetch, which holds the mirror', async () => {
    const mirror = await fetchOften(2);
    const old = await abandon(mirror, 15);
    fixture.git(mirror.path, 'config', 'gc.autoPackLimit', '1');
    await fixture.commitOnRemote('main', { 'x.txt': 'x\n' });
    await updateMirror(workspaces, fixture.source);
    expect(existsSync(join(mirror.objectsPath, old.slice(0, 2), old.slice(2)))).toBe(true);
  });
});

it('logs a mirror that git fails on, and leaves it alone for hours', async () => {
  const mirror = await updateMirror(workspaces, fixture.source);
  await weekLater(mirror);
  await writeFile(join(mirror.path, 'refs', 'heads', 'broken'), `${'1'.repeat(40)}\n`);
  await maintenance.runOnce(signal);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('git ');
  await maintenance.runOnce(signal);
  expect(warnings).toHaveLength(1);
  await clock.advance(6 * 3_600_000);
  await maintenance.runOnce(signal);
  expect(warnings).toHaveLength(2);
  expect(await readFile(join(mirror.path, 'HEAD'), 'utf8')).toContain('refs/heads/main');
}, 60_000);
