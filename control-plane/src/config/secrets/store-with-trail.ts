import { commitSteps, expectRowsAffected, type Step } from '../../db/commit-steps.ts';
import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { ConfigStore } from '../config-store.ts';
import { secretReferences } from '../values/secret-references.ts';
import type { Database, Statement } from '../../db/database.ts';
import { appendEvents } from '../../observe/events/append-events.ts';
import type { Clock } from '../../ports/ports.ts';
import type { MasterKeys } from './master-keys.ts';

/** Dependencies of functions that change secrets. */
export type SecretDeps = {
  db: Database;
  clock: Clock;
  config: ConfigStore;
  masterKeys: MasterKeys;
  wake: () => void;
};

/** One change of a secret. */
export type SecretChange = {
  caller: Caller;
  operation: string;
  key: string;
  nowMs: number;
  change: Statement;
  details?: Record<string, unknown>;
};

/**
 * Commits changes of secrets, all or none, each with audit row and event. Returns false and stores
 * nothing when one of them affected no row.
 */
export async function storeWithTrail(
  deps: SecretDeps,
  changes: readonly SecretChange[],
): Promise<boolean> {
  const trails = await Promise.all(changes.map((change) => withTrail(deps, change)));
  if ((await commitSteps(deps.db, trails.flat())) === null) return false;
  deps.config.expire();
  deps.wake();
  return true;
}

/**
 * The steps of one change with its audit row and its event, which lists the configuration keys that
 * refer to the secret.
 */
export async function withTrail(
  deps: Pick<SecretDeps, 'db' | 'config'>,
  input: SecretChange,
): Promise<Step[]> {
  const { db } = deps;
  const { nowMs, key } = input;
  const uses = secretReferences(await deps.config.load()).filter(({ name }) => name === key);
  const data = { source: 'secrets', secret: key, paths: uses.map(({ path }) => path) };
  return [
    expectRowsAffected(input.change),
    auditStatement(db, nowMs, input.caller, {
      operation: input.operation,
      subject: key,
      ...(input.details === undefined ? {} : { details: input.details }),
    }),
    ...appendEvents(db, nowMs, [{ type: 'config.changed', atMs: nowMs, data }]),
  ];
}
