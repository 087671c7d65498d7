import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FolderHeld } from '@switchyard/shared/host/folder-holder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { holdOwnFolder } from './hold-own-folder.ts';

const MODULE = new URL('./hold-own-folder.ts', import.meta.url).href;
const CLOCK = new URL('../clock.ts', import.meta.url).href;
/** A runner whose control plane is gone, or one that nobody keeps: it only holds its folder. */
const FORMER = `
  const { holdOwnFolder } = await import(${JSON.stringify(MODULE)});
  const { systemClock } = await import(${JSON.stringify(CLOCK)});
  const [dataDir, keeper] = process.argv.slice(1);
  const log = { info() {}, warn() {}, error() {} };
  const options = { dataDir, clock: systemClock(), log };
  if (keeper !== undefined) options.keeperPid = Number(keeper);
  await holdOwnFolder(options, new AbortController().signal);
  console.log('holds');
  process.stdin.resume();
`;

let dataDir: string;
let former: ChildProcess;
let stop: AbortController;
let waiting: Promise<void>;
let isWaiting: () => void;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-own-folder-'));
  stop = new AbortController();
  waiting = new Promise((resolve) => {
    isWaiting = resolve;
  });
});
afterEach(async () => {
  former.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function startFormer(...keeper: string[]): Promise<void> {
  const args = ['--input-type=module', '-e', FORMER, dataDir, ...keeper];
  former = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(createInterface({ input: former.stdout! }), 'line');
}

function hold(more: { keeperPid?: number; orphaned?: AbortSignal } = {}) {
  const log = { info: () => undefined, warn: () => isWaiting(), error: () => undefined };
  return holdOwnFolder({ dataDir, clock: systemClock(), log, ...more }, stop.signal);
}

it('says at once who has the folder when nobody is to wait', async () => {
  await startFormer('2');
  await expect(hold()).rejects.toThrow(`process ${former.pid}`);
});

it('waits for no runner that nobody keeps: that one does not end by itself', async () => {
  await startFormer();
  await expect(hold({ keeperPid: process.pid })).rejects.toBeInstanceOf(FolderHeld);
});

it('waits for the former process and takes its place', async () => {
  await startFormer('2');
  const holding = hold({ keeperPid: process.pid });
  await waiting;
  former.kill('SIGKILL');
  const held = await holding;
  expect(held).not.toBeNull();
  held?.release();
  expect(await readdir(dataDir)).toEqual(['holder.lock']);
});

it('gives up when its control plane is gone, and leaves the former process alone', async () => {
  await startFormer('2');
  const orphaned = new AbortController();
  const holding = hold({ keeperPid: process.pid, orphaned: orphaned.signal });
  await waiting;
  orphaned.abort();
  expect(await holding).toBeNull();
  expect(former.signalCode).toBeNull();
});

it('leaves a runner alone whose control plane lives when it is to stop', async () => {
  await startFormer(String(process.ppid));
  const ended = once(former, 'exit');
  const holding = hold({ keeperPid: process.pid });
  await waiting;
  stop.abort();
  expect(await holding).toBeNull();
  former.stdin?.end();
  expect((await ended)[1]).toBeNull();
});

it('passes on that it is to stop', async () => {
  const keeper = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(keeper, 'exit');
  await startFormer(String(keeper.pid));
  const ended = once(former, 'exit');
  const holding = hold({ keeperPid: process.pid });
  await waiting;
  stop.abort();
  expect(await holding).toBeNull();
  expect((await ended)[1]).toBe('SIGTERM');
});
