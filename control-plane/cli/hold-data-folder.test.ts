import { rmSync } from 'node:fs';
import {
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderHeld } from '@switchyard/shared/host/folder-holder';
import { type FolderHold, holdFolder } from '@switchyard/shared/host/hold-folder';
import {
  holdDataFolder,
  requireFolderFree,
  requireNoRunnerOfItsOwn,
  whileHolding,
} from './hold-data-folder.ts';

const WATCH_MS = 5;
/** Some user that is not root. */
const OWNER = 65_534;
const openLock = (path: string) => new Database(path, { timeout: 0 });

function formerWords(): string {
  const holder = { id: 'x', command: 'switchyard start', pid: process.pid, host: hostname() };
  return JSON.stringify({ ...holder, sinceMs: 0, address: null, keeperPid: null });
}

describe('a data folder', () => {
  let parent: string;
  let folder: string;
  let holds: FolderHold[];
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'swy-hold-'));
    folder = join(parent, 'data');
    holds = [];
  });
  afterEach(async () => {
    for (const hold of holds) hold.release();
    await rm(parent, { recursive: true, force: true });
  });

  async function hold(command = 'start', more: { watchMs?: number; keeperPid?: number } = {}) {
    const held = await holdFolder(folder, { command: `switchyard ${command}`, openLock, ...more });
    holds.push(held);
    return held;
  }

  const refusal = (path = folder): Promise<string> =>
    holdDataFolder(path, 'demo').then(
      (held) => {
        held.release();
        return 'none';
      },
      (error: unknown) => (error instanceof FolderHeld ? error.message : String(error)),
    );

  it('is for one, who is named with what to do, and for the next one afterwards', async () => {
    const first = await hold();
    expect(await refusal()).toMatch(
      new RegExp(
        `^${folder} is in use by switchyard start \\(process ${process.pid}, since \\d+ \\w+ at ` +
          `\\d\\d:\\d\\d UTC\\): stop it with "kill ${process.pid}", or choose another folder with ` +
          '--data-dir$',
      ),
    );
    first.serveAt('http://127.0.0.1:4100');
    expect(await refusal()).toMatch(
      /, http:\/\/127.0.0.1:4100, since .*: open that address, stop it with .*, or choose/,
    );
    await expect(requireFolderFree(folder)).rejects.toBeInstanceOf(FolderHeld);
    first.release();
    expect(await refusal()).toBe('none');
    await requireFolderFree(folder);
    expect(await readdir(folder)).toEqual(['holder.lock']);
  });

  it('is the same by every path that leads to it', async () => {
    await hold();
    const link = join(parent, 'link');
    await symlink(folder, link);
    for (const path of [`${folder}/`, join(folder, '..', 'data'), link, `${link}/.`])
      expect(await refusal(path)).toContain('is in use by switchyard start');
  });

  it('is neither made nor changed by asking whether it is free', async () => {
    await requireFolderFree(folder);
    expect(await readdir(parent)).toEqual([]);
    await mkdir(folder);
    await requireFolderFree(folder);
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(process.geteuid?.() === 0)(
    'can be held by its owner after root has held it',
    async () => {
      await mkdir(folder);
      await chown(folder, OWNER, OWNER);
      await whileHolding(folder, 'upgrade', async () => {});
      expect((await stat(join(folder, 'holder.lock'))).uid).toBe(OWNER);
    },
  );

  it('is free although it says otherwise, as after a kill', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'holder.json'), formerWords());
    expect(await whileHolding(folder, 'upgrade', async () => 'done')).toBe('done');
  });

  it('is not held by a command that failed to say who it is', async () => {
    await mkdir(join(folder, 'holder.json'), { recursive: true });
    await expect(hold()).rejects.toThrow('holder.json');
    await rmdir(join(folder, 'holder.json'));
    expect(await refusal()).toBe('none');
  });

  it('is held without a word where none can be written, and not in the name of a former one', async () => {
    // In the place of a full disk.
    await mkdir(join(folder, 'holder.json.new', 'in-the-way'), { recursive: true });
    await writeFile(join(folder, 'holder.json'), formerWords());
    const first = await hold('start', { watchMs: WATCH_MS });
    first.serveAt('http://127.0.0.1:4100');
    expect(await refusal()).toContain('is in use by another process: stop it');
    expect(first.lost.aborted).toBe(false);
  });

  it('names the machine of a holder elsewhere, and says so when there are no words', async () => {
    await hold();
    const path = join(folder, 'holder.json');
    const words = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...words, host: 'elsewhere', pid: 1 }));
    expect(await refusal()).toMatch(
      /\(process 1, on elsewhere, since .*: stop it there, or choose/,
    );
    await writeFile(path, '{"half');
    expect(await refusal()).toBe(
      `${folder} is in use by another process: stop it, or choose another folder with --data-dir`,
    );
  });

  it('is kept when somebody removes the file of its lock', async () => {
    const first = await hold('start', { watchMs: WATCH_MS });
    await rm(join(folder, 'holder.lock'));
    await expect.poll(() => readdir(folder)).toContain('holder.lock');
    expect(await refusal()).toContain('is in use by switchyard start');
    expect(first.lost.aborted).toBe(false);
  });

  it('is kept when the words of a former holder are copied into it, and says so again', async () => {
    const first = await hold('start', { watchMs: WATCH_MS });
    const own = await readFile(join(folder, 'holder.json'), 'utf8');
    await writeFile(join(folder, 'holder.json'), formerWords());
    await expect.poll(() => readFile(join(folder, 'holder.json'), 'utf8')).toBe(own);
    expect(first.lost.aborted).toBe(false);
  });

  it('is given up by a holder from whom it was taken', async () => {
    const first = await hold('start', { watchMs: WATCH_MS });
    const lost = new Promise((resolve) => first.lost.addEventListener('abort', resolve));
    rmSync(join(folder, 'holder.lock'));
    // Before the first one looks: nothing of its timer runs in between.
    const taken = hold('demo');
    await lost;
    await taken;
    expect(first.lost.reason).toBeInstanceOf(FolderHeld);
    expect(first.lost.reason.message).toContain('is in use by switchyard demo');
    first.release();
    expect(await refusal()).toContain('is in use by switchyard demo');
  });

  it('may belong to a runner that lost its control plane, but to none of its own', async () => {
    const kept = await hold('runner', { keeperPid: 2 });
    await requireNoRunnerOfItsOwn(folder);
    expect(await refusal()).toContain('stop it with "kill 2"');
    kept.release();
    await hold('runner');
    await expect(requireNoRunnerOfItsOwn(folder)).rejects.toThrow('in use by switchyard runner');
  });
});
