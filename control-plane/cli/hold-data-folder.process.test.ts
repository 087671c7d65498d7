import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireFolderFree } from './hold-data-folder.ts';

const MODULE = new URL('./hold-data-folder.ts', import.meta.url).href;
const HOLDS = `
  const { holdDataFolder } = await import(${JSON.stringify(MODULE)});
  const words = await holdDataFolder(process.argv[1], 'start').then(() => 'holds', (error) => error.message);
  console.log(words);
  process.stdin.resume();
`;

const LIBSQL = new URL('../../node_modules/libsql/index.js', import.meta.url).href;
/** A service of a version that knew no hold: it has its database open. */
const FORMER = `
  const { default: Database } = await import(${JSON.stringify(LIBSQL)});
  const database = new Database(process.argv[1] + '/switchyard.db');
  database.exec('pragma journal_mode = wal; create table t(x); select * from t');
  console.log('serves');
  process.stdin.resume();
`;

let folder: string;
let children: ChildProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'swy-hold-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** A process that, if not told otherwise, tries to hold the folder, and stays; with the line that it says. */
async function another(program = HOLDS): Promise<{ child: ChildProcess; says: string }> {
  const args = ['--input-type=module', '-e', program, folder];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  const [says] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, says };
}

it('goes to one of many that ask at once, and the others know to whom', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => another()));
  const holders = all.filter(({ says }) => says === 'holds');
  expect(holders).toHaveLength(1);
  const others = all.filter(({ says }) => says !== 'holds');
  for (const { says } of others) expect(says).toContain(`process ${holders[0]?.child.pid},`);
});

it('stays with a process that is stopped, and is free once one is killed', async () => {
  const { child, says } = await another();
  expect(says).toBe('holds');
  child.kill('SIGSTOP');
  await expect(requireFolderFree(folder)).rejects.toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await requireFolderFree(folder);
  expect((await another()).says).toBe('holds');
});

it('is not taken from a service of a version that did not hold it', async () => {
  const { child } = await another(FORMER);
  for (let tries = 0; tries < 2; tries += 1) {
    const second = await another();
    expect(second.says).toContain('is in use by another process');
    second.child.kill('SIGKILL');
    await once(second.child, 'exit');
  }
  expect(await readdir(folder)).not.toContain('holder.lock');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await another()).says).toBe('holds');
});

/** It ends with the test's process, which has the other end of its standard input. */
const SLEEPER = `(await import('node:child_process')).spawn('cat', { stdio: ['inherit', 'ignore', 'ignore'] });
  process.stdin`;

it('does not stay with a process that its holder has started', async () => {
  const { child, says } = await another(HOLDS.replace('process.stdin', SLEEPER));
  expect(says).toBe('holds');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await requireFolderFree(folder);
  expect((await another()).says).toBe('holds');
});
