import { expect, it } from 'vitest';
import { logEntryOf } from './log-entry.ts';

const started = (isolation: string, containerId: string) =>
  logEntryOf('container', { state: 'started', isolation, containerId }).text;

it('a sandbox is named by what finds it: a container by its short id, a process by nothing', () => {
  expect(started('docker', '0123456789abcdef0123456789abcdef')).toBe('docker 0123456789ab started');
  expect(started('process', 'process-att_0mx0kowyh3aouyi18nh4d2v53-1')).toBe('process started');
});

const kept = (paths: string[], leftOut = 0) =>
  logEntryOf('artifacts', { files: paths.map((path) => ({ path, bytes: 1 })), leftOut });

it('files that an agent left for review are counted, and named one a line', () => {
  const entry = kept(['home.png', 'a\u202egnp.html', 'logs/run.txt']);
  expect(entry).toMatchObject({ label: 'Files', text: '3 files kept for review', tone: 'quiet' });
  expect(entry.body).toBe('home.png\na[U+202E]gnp.html\nlogs/run.txt');
});

it('files beyond the limits are told, and none at all too', () => {
  expect(kept(['a.png'], 2)).toMatchObject({
    text: '1 file kept for review · 2 beyond the limits',
    tone: 'warning',
  });
  expect(kept([])).toMatchObject({ text: 'no files kept for review', body: '' });
});
