import { execFileSync } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Bench } from '../support/e2e/start-bench.ts';
import { type Attempt, workspaceOf } from './attempts.ts';
import type { Row } from './table.ts';
import type { World } from './world.ts';

/** Put together here, so that nobody's scanner takes this file for a leak. */
const TOKEN = ['ghp', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8'].join('_');
/** Leaves work that must not leave. */
export const PUSHED =
  `mkdir -p .github/workflows && echo 'on: push' > .github/workflows/own.yml && ` +
  `printf 'token = %s%s\\n' ghp_ ${TOKEN.slice(4)} > settings.ini`;

/** Neither a workflow nor a key is pushed; git itself has nothing against either. */
export async function tryPushes(world: World, bench: Bench, attempt: Attempt): Promise<Row[]> {
  const { status, events } = attempt;
  expect(status).toBe('blocked');
  const history = await bench.repository.git('log', '--all', '--format=', '--name-only');
  expect(history).not.toMatch(/own\.yml|settings\.ini/);
  const refused = events.filter((text) => text.startsWith('write_refused ')).join();
  expect(refused).toContain('"rule":"workflow_file"');
  expect(refused).toContain('"rule":"secret"');
  expect(refused).not.toContain(TOKEN);
  const copy = join(world.folder, 'unchecked');
  await cp(workspaceOf(attempt), copy, { recursive: true });
  const push = ['push', '-q', '--no-verify', bench.repository.url, 'HEAD:refs/heads/unchecked'];
  execFileSync('git', ['-C', copy, '-c', 'safe.directory=*', ...push]);
  const pushed = await bench.repository.git('ls-tree', '-r', '--name-only', 'unchecked');
  expect(pushed, 'the control run').toMatch(/own\.yml[\s\S]*settings\.ini/);
  const row = (name: string, stoppedBy: string): Row => ({
    attempt: name,
    stoppedBy,
    event: 'write_refused',
    control: 'succeeded',
  });
  return [
    row('push of a workflow file', 'the list of protected paths'),
    row('push of a key', 'the secret scan'),
  ];
}
