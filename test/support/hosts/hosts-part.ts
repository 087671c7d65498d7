import { spawnSync } from 'node:child_process';
import type { SystemPart } from '../system-part.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** Whether network namespaces can be made here: tried, because a container may forbid it. */
export function hostsPart(): SystemPart {
  const name = `swy-probe-${process.pid}`;
  const add = spawnSync('ip', ['netns', 'add', name], {
    timeout: PROBE_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (add.error !== undefined) {
    return { available: false, reason: 'no command ip in PATH: install iproute2' };
  }
  if (add.status !== 0) {
    const why = add.stderr.trim().split('\n')[0];
    return { available: false, reason: `no network namespace can be made: ${why}; run as root` };
  }
  spawnSync('ip', ['netns', 'del', name], { timeout: PROBE_TIMEOUT_MS });
  return { available: true, detail: 'network namespaces' };
}
