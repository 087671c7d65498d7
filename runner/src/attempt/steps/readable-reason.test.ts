import { expect, it } from 'vitest';
import { readableReason } from './readable-reason.ts';

const folders = { dataDir: '/srv/runner', workspacePath: '/srv/runner/work/workspaces/SY-1' };

it.each([
  [
    'a folder of the host',
    'cannot read /srv/runner/work/workspaces/SY-1/src/a.ts',
    'cannot read src/a.ts',
  ],
  [
    'the folder of the runner',
    'in /srv/runner/work/mirrors/x',
    "in the runner's folder/work/mirrors/x",
  ],
  ['colours', '\u001b[31mfatal\u001b[0m: no', 'fatal: no'],
  [
    'lines of a log',
    'it ended: 2026-11-22T10:00:00Z boom\n2026-11-22T16:00:00.123456Z ERROR codex_core::exec: spawn failed\npanicked at main.rs',
    'it ended: 2026-11-22T10:00:00Z boom\npanicked at main.rs',
  ],
])('leaves out %s', (_name, message, words) =>
  expect(readableReason(message, folders)).toBe(words),
);
