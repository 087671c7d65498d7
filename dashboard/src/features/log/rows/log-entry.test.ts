import { expect, it } from 'vitest';
import { logEntryOf } from './log-entry.ts';

const started = (isolation: string, containerId: string) =>
  logEntryOf('container', { state: 'started', isolation, containerId }).text;

it('a sandbox is named by what finds it: a container by its short id, a process by nothing', () => {
  expect(started('docker', '0123456789abcdef0123456789abcdef')).toBe('docker 0123456789ab started');
  expect(started('process', 'process-att_0mx0kowyh3aouyi18nh4d2v53-1')).toBe('process started');
});
