import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal, JournalInUse } from './journal.ts';
import { openOwnJournal } from './own-journal.ts';
import { FakeClock } from '../testing/fake-clock.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let dataDir: string;
let former: Journal;
let clock: FakeClock;
let stop: AbortController;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'swy-own-journal-'));
  former = new Journal(join(dataDir, 'journal.db'));
  clock = new FakeClock();
  stop = new AbortController();
});
afterEach(async () => {
  former.close();
  await rm(dataDir, { recursive: true, force: true });
});

const open = (mayWait: boolean) =>
  openOwnJournal({ dataDir, mayWait, clock, log: silent }, stop.signal);

it('says so at once when nobody is to wait', async () => {
  await expect(open(false)).rejects.toBeInstanceOf(JournalInUse);
});

it('waits for the former process and takes its place', async () => {
  const opening = open(true);
  await clock.advance(5_000);
  former.close();
  await clock.advance(1_000);
  const journal = await opening;
  expect(journal?.list()).toEqual([]);
  expect(await readFile(join(dataDir, 'runner.pid'), 'utf8')).toBe(`${process.pid}\n`);
  journal?.close();
});

it('gives up when its control plane is gone, and leaves the former process alone', async () => {
  const child = spawn('sleep', ['60']);
  await writeFile(join(dataDir, 'runner.pid'), `${child.pid}\n`);
  const orphaned = new AbortController();
  const options = { dataDir, mayWait: true, orphaned: orphaned.signal, clock, log: silent };
  const opening = openOwnJournal(options, stop.signal);
  await clock.advance(1_000);
  orphaned.abort();
  await clock.advance(500);
  expect(await opening).toBeNull();
  expect(child.signalCode).toBeNull();
  child.kill();
});

it('passes on that it is to stop', async () => {
  const child = spawn('sleep', ['60']);
  await writeFile(join(dataDir, 'runner.pid'), `${child.pid}\n`);
  const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  const opening = open(true);
  await clock.advance(1_000);
  stop.abort();
  await clock.advance(10);
  await expect.poll(() => clock.advance(500).then(() => child.signalCode)).toBe('SIGTERM');
  expect(await ended).toBe('SIGTERM');
  former.close();
  await clock.advance(8_000);
  expect(await opening).toBeNull();
});
