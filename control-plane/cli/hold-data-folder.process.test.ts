import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** A process that tries to hold the folder and then stays; with the one line that it says. */
async function another(): Promise<{ child: ChildProcess; says: string }> {
  const args = ['--input-type=module', '-e', HOLDS, folder];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  children.push(child);
  const [says] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, says };
}

it('goes to one of many that ask at once, and the others know to whom', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, another));
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
