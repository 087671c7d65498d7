import type { DataEndpoint } from './data-endpoint.ts';
import { cellText } from './cell-text.ts';
import { type CopiedTable, quoted } from './list-tables.ts';

/** Half a copy must never be decided on, so the hold outlives any interruption worth going on after. */
const HOLD_MS = 7 * 86_400_000;
const HOLDER = 'data transfer';

/** Throws when a control plane leads on a server's database. Files are checked by their lock. */
export async function requireNoLeader(endpoint: DataEndpoint, nowMs: number): Promise<void> {
  const { rows } = await endpoint.read(
    'select holder from leader where until_ms > ? and holder <> ?',
    [nowMs, HOLDER],
  );
  const [leader] = rows;
  if (leader === undefined) return;
  throw new Error(
    `a control plane works on ${endpoint.name} (${cellText(leader, 'holder')}): stop it first, so that nothing changes meanwhile`,
  );
}

/**
 * Takes the leadership of the target, so that no control plane decides on half a copy. `transferId`
 * names the source: an interrupted transfer from it goes on, any other target must be empty. Answers
 * whether it goes on.
 */
export async function holdTarget(
  to: DataEndpoint,
  tables: readonly CopiedTable[],
  input: { transferId: string; nowMs: number },
): Promise<boolean> {
  const { transferId, nowMs } = input;
  const { rows } = await to.read('select instance_id, holder from leader');
  const goesOn = rows[0]?.['instance_id'] === transferId;
  if (!goesOn) await requireEmpty(to, tables, rows[0]?.['holder'] === HOLDER);
  const [held] = await to.write([
    {
      sql: `insert into leader (id, instance_id, holder, term, until_ms) values (1, ?, ?, 1, ?)
        on conflict (id) do update set instance_id = excluded.instance_id,
          holder = excluded.holder, until_ms = excluded.until_ms
        where instance_id = excluded.instance_id or until_ms <= ?`,
      args: [transferId, HOLDER, nowMs + HOLD_MS, nowMs],
    },
  ]);
  if (held?.rowsAffected !== 1) throw new Error(`something else has just taken ${to.name}`);
  return goesOn;
}

/** After this a control plane may start there. */
export async function releaseTarget(to: DataEndpoint, transferId: string): Promise<void> {
  await to.write([{ sql: 'delete from leader where instance_id = ?', args: [transferId] }]);
}

async function requireEmpty(
  to: DataEndpoint,
  tables: readonly CopiedTable[],
  isOtherTransfer: boolean,
): Promise<void> {
  const counts = tables
    .filter(({ byTriggers }) => !byTriggers)
    .map(({ name }) => `select '${name}' as name, count(*) as total from ${quoted(name)}`);
  const { rows } = await to.read(counts.join(' union all '));
  const full = rows.filter((row) => Number(row['total']) > 0);
  if (full.length === 0) return;
  const told = full.map((row) => `${cellText(row, 'name')} ${cellText(row, 'total')}`).join(', ');
  const what = isOtherTransfer ? 'part of another transfer' : 'data of its own';
  throw new Error(
    `${to.name} has ${what} (${told}). Nothing was changed: name an empty database, or empty this one`,
  );
}
