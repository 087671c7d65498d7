import { auditStatement } from '../../observe/audit/audit-statement.ts';
import { SERVICE_CALLER } from '../../http/caller/caller.ts';
import type { ResolveSecret } from '../resolve-secret.ts';
import type { Database } from '../../db/database.ts';
import type { Clock, Logger } from '../../ports/ports.ts';
import { decryptValue } from './encrypt-value.ts';
import type { MasterKeys } from './master-keys.ts';
import { secretByKey } from './queries.ts';

/** One audit row for each secret and reader in this time: it records who uses it, not how often. */
const TRAIL_EVERY_MS = 3_600_000;
const MAX_READERS = 5_000;

type ReadDeps = { db: Database; clock: Clock; logger: Logger; masterKeys: MasterKeys };

/**
 * Creates the function that reads secrets for the service and records each reader. A secret that
 * cannot be decrypted counts as missing and is logged by name.
 */
export function createResolveSecret(deps: ReadDeps): ResolveSecret {
  const tracked = new Map<string, number>();

  async function trail(key: string, reader: string): Promise<void> {
    const nowMs = deps.clock.nowMs();
    const pair = `${key}\n${reader}`;
    const sinceMs = nowMs - (tracked.get(pair) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs >= 0 && sinceMs < TRAIL_EVERY_MS) return;
    if (tracked.size >= MAX_READERS) tracked.clear();
    const caller = { ...SERVICE_CALLER, actor: reader };
    await deps.db.batch([
      auditStatement(deps.db, nowMs, caller, { operation: 'secret.read', subject: key }),
    ]);
    tracked.set(pair, nowMs);
  }

  return async (key, reader = SERVICE_CALLER.actor) => {
    const stored = await secretByKey(deps.db, key);
    if (stored === null) return null;
    const masterKey = await deps.masterKeys.find(stored.masterKeyId);
    let value: string;
    try {
      if (masterKey === null) throw new Error(`the master key ${stored.masterKeyId} is not here`);
      value = await decryptValue(masterKey, key, stored);
    } catch (error) {
      const why = error instanceof Error && masterKey === null ? error.message : 'damaged';
      deps.logger.error('a secret cannot be decrypted', { secret: key, error: why });
      return null;
    }
    await trail(key, reader);
    return value;
  };
}
