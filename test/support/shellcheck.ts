import { spawnSync } from 'node:child_process';
import type { SystemPart } from './system-part.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** Whether ShellCheck, which judges programs of the shell, is here. */
export function shellcheckPart(): SystemPart {
  const probe = spawnSync('shellcheck', ['--version'], { timeout: PROBE_TIMEOUT_MS });
  if (probe.status === 0) return { available: true, detail: 'shellcheck' };
  return { available: false, reason: 'no shellcheck in PATH: install shellcheck' };
}
