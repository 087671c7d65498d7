import { commitChange } from '../observe/events/commit-change.ts';
import { SERVICE_CALLER } from '../http/caller/caller.ts';
import type { Database } from '../db/database.ts';
import type { Clock, Logger } from '../ports/ports.ts';
import type { BaseFile } from './base-file.ts';
import { changedPaths } from './overlay/changed-paths.ts';
import type { ConfigProblem } from './config-store.ts';
import type { ReloadableConfigStore } from './create-config-store.ts';

export type ReloadDeps = {
  db: Database;
  clock: Clock;
  config: ReloadableConfigStore;
  logger: Logger;
  wake: () => void;
  /**
   * Whether this instance leads: a standby also reloads the file, but only the leader reports it.
   */
  isLeader: () => boolean;
};

/**
 * Reloads a base file that changed while the service runs (null: it was removed). New work uses it;
 * if it is invalid, the last valid one stays, new work is blocked and the problem is reported.
 */
export async function reloadBaseFile(deps: ReloadDeps, file: BaseFile | null): Promise<void> {
  const { config } = deps;
  const before = await config.load();
  const problemsBefore = describe(config.problems());
  config.setBaseFile(file);
  const after = await config.load();
  const paths = changedPaths(before, after);
  const problems = config.problems();
  for (const { message, severity } of problems.filter(({ source }) => source === 'base')) {
    deps.logger[severity === 'error' ? 'error' : 'warn']('configuration file', {
      problem: message,
    });
  }
  if (paths.length === 0 && describe(problems) === problemsBefore) return;
  deps.logger.info('the configuration file was read again', { changed: paths.length });
  if (deps.isLeader()) await tell(deps, paths, problems);
  deps.wake();
}

async function tell(
  deps: ReloadDeps,
  paths: readonly string[],
  problems: readonly ConfigProblem[],
): Promise<void> {
  const codes = problems.filter(({ source }) => source === 'base').map(({ code }) => code);
  const data = { source: 'base', paths, problems: codes };
  const caller = { ...SERVICE_CALLER, path: 'config' };
  await commitChange(deps, {
    audit: { caller, operation: 'config.reload', details: data },
    events: [{ type: 'config.changed', data }],
  });
}

function describe(problems: readonly ConfigProblem[]): string {
  return JSON.stringify(problems.map(({ source, code, message }) => [source, code, message]));
}
