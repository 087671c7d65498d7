import { auditStatement } from '../../observe/audit/audit-statement.ts';
import type { Caller } from '../../http/caller/caller.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { importMasterKey, parseMasterKey } from '../../config/secrets/master-key.ts';
import { rememberMasterKey } from './setup-facts.ts';

/**
 * Records that a person has a copy of the present master key. A given key is only compared: throws
 * a 422 when it is another one, a 400 when it is malformed.
 */
export async function confirmMasterKey(
  deps: Pick<Deps, 'db' | 'clock' | 'masterKeys'>,
  input: { caller: Caller; key?: string | undefined },
): Promise<void> {
  const { id } = await deps.masterKeys.current();
  if (input.key !== undefined) await requireSame(input.key, id);
  const nowMs = deps.clock.nowMs();
  await deps.db.batch([
    rememberMasterKey(deps.db, nowMs, id),
    auditStatement(deps.db, nowMs, input.caller, {
      operation: 'master-key.confirm',
      subject: id,
      details: { compared: input.key !== undefined },
    }),
  ]);
}

async function requireSame(text: string, currentId: string): Promise<void> {
  const bytes = parseMasterKey(text);
  if (bytes === null) {
    throw new AppError('bad_request', 'key: must be 32 bytes as base64 or as 64 hex digits', {
      reason: 'no_master_key',
    });
  }
  const { id } = await importMasterKey(bytes);
  if (id === currentId) return;
  throw new AppError(
    'unprocessable',
    `this is another key (${id}); the one in use is ${currentId}`,
    {
      reason: 'another_master_key',
    },
  );
}
