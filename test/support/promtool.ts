import { spawnSync } from 'node:child_process';
import type { SystemPart } from './system-part.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** Whether `promtool`, which judges metrics, is here. */
export function promtoolPart(): SystemPart {
  const probe = spawnSync('promtool', ['--version'], {
    timeout: PROBE_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (probe.status === 0) return { available: true, detail: 'promtool' };
  return { available: false, reason: 'no promtool in PATH: install prometheus' };
}
