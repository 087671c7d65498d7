import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BaseFile } from '../../config/base-file.ts';
import { findBaseFile } from './find-base-file.ts';
import { watchBaseFile } from './watch-base-file.ts';

let folder: string;
let seen: BaseFile[];
let watch: { stop(): void } | null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-watch-'));
  seen = [];
  watch = null;
});
afterEach(async () => {
  watch?.stop();
  await rm(folder, { recursive: true, force: true });
});

const path = (name: string) => join(folder, name);
const start = () => {
  watch = watchBaseFile(folder, findBaseFile(folder), (file) => void seen.push(file));
};
const lastSeen = () => seen.at(-1);

it('sees a file that is made, changed, replaced and gone', async () => {
  start();
  await writeFile(path('switchyard.yaml'), 'agent: {}');
  await expect
    .poll(lastSeen)
    .toMatchObject({ name: 'switchyard.yaml', format: 'yaml', text: 'agent: {}' });
  await writeFile(path('draft'), 'Fix it.');
  await rename(path('draft'), path('WORKFLOW.md'));
  await expect
    .poll(lastSeen)
    .toMatchObject({ name: 'WORKFLOW.md', format: 'workflow', text: 'Fix it.' });
  await rm(path('WORKFLOW.md'));
  await expect.poll(lastSeen).toMatchObject({ name: 'switchyard.yaml', text: 'agent: {}' });
  await rm(path('switchyard.yaml'));
  await expect.poll(lastSeen).toMatchObject({ name: 'switchyard.yaml', text: null });
}, 90_000);

it('sees a change made between the first reading and its own start', async () => {
  const before = findBaseFile(folder);
  await writeFile(path('WORKFLOW.md'), 'Later.');
  watch = watchBaseFile(folder, before, (file) => void seen.push(file));
  await expect.poll(lastSeen).toMatchObject({ name: 'WORKFLOW.md', text: 'Later.' });
}, 30_000);
