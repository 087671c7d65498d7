import {
  DATA_TRANSFER,
  LEADER_TTL_MS,
  NOBODY,
} from '../../src/jobs/leadership/create-leadership.ts';
import type { DataEndpoint } from './data-endpoint.ts';
import { cellText } from './cell-text.ts';
import { VERSION_FACT } from '../../src/db/record-version.ts';
import { type CopiedTable, quoted } from './list-tables.ts';

/**
 * Throws when a control plane leads on a server's database, that is, renews its leadership while
 * this function waits by `wait`. Database files are protected by their lock instead.
 */
export async function requireNoLeader(
  endpoint: DataEndpoint,
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  const readLeader = () => leaderOf(endpoint);
  const before = await readLeader();
  if (before === null || !isInstance(before)) return;
  await wait(LEADER_TTL_MS);
  const after = await readLeader();
  if (after === null || !isInstance(after) || stampOf(after) === stampOf(before)) return;
  throw new Error(
    `a control plane works on ${endpoint.name} (${cellText(after, 'holder')}): stop it first, so that nothing changes meanwhile`,
  );
}

/**
 * Acquires the leadership of the target, so that no control plane uses an incomplete copy, however
 * long the copy lasts. `transferId` identifies the source: its interrupted transfer resumes, any
 * other target must be empty. Returns whether a transfer resumes.
 */
export async function holdTarget(
  to: DataEndpoint,
  tables: readonly CopiedTable[],
  input: { transferId: string; nowMs: number },
): Promise<boolean> {
  const { transferId, nowMs } = input;
  const found = await leaderOf(to);
  const goesOn = found?.['instance_id'] === transferId;
  if (!goesOn) await requireEmpty(to, tables, found);
  const known =
    found === null ? [null, null] : [found['instance_id'] ?? null, found['term'] ?? null];
  const [held] = await to.write([
    {
      sql: `insert into leader (id, instance_id, holder, term, until_ms) values (1, ?, ?, 1, ?)
        on conflict (id) do update set instance_id = excluded.instance_id,
          holder = excluded.holder, until_ms = excluded.until_ms, term = leader.term + 1
        where leader.instance_id = ? and leader.term = ?`,
      args: [transferId, DATA_TRANSFER, nowMs, ...known],
    },
    // The record of the target's latest version is replaced by that of the source, which is copied
    // with its rows.
    ...(goesOn
      ? []
      : [
          {
            sql: `delete from facts where name = '${VERSION_FACT}'
              and exists (select 1 from leader where instance_id = ?)`,
            args: [transferId],
          },
        ]),
  ]);
  if (held?.rowsAffected !== 1) throw new Error(`something else has just taken ${to.name}`);
  return goesOn;
}

type Row = Awaited<ReturnType<DataEndpoint['read']>>['rows'][number];

async function leaderOf(endpoint: DataEndpoint): Promise<Row | null> {
  const { rows } = await endpoint.read('select instance_id, holder, term, until_ms from leader');
  return rows[0] ?? null;
}

function isInstance(row: Row): boolean {
  return row['instance_id'] !== NOBODY && row['holder'] !== DATA_TRANSFER;
}

function stampOf(row: Row): string {
  return ['instance_id', 'term', 'until_ms'].map((name) => cellText(row, name)).join(' ');
}

/** Ends the transfer's leadership; from then on a control plane may start on the target. */
export async function releaseTarget(to: DataEndpoint, transferId: string): Promise<void> {
  await to.write([{ sql: 'delete from leader where instance_id = ?', args: [transferId] }]);
}

async function requireEmpty(
  to: DataEndpoint,
  tables: readonly CopiedTable[],
  leader: Row | null,
): Promise<void> {
  const counts = tables
    .filter(({ byTriggers }) => !byTriggers)
    .map(({ name }) => {
      const own = name === 'facts' ? ` where name <> '${VERSION_FACT}'` : '';
      return `select '${name}' as name, count(*) as total from ${quoted(name)}${own}`;
    });
  const { rows } = await to.read(counts.join(' union all '));
  const full = rows.filter((row) => Number(row['total']) > 0);
  if (full.length === 0) return;
  const counted = full
    .map((row) => `${cellText(row, 'name')} ${cellText(row, 'total')}`)
    .join(', ');
  const what =
    leader?.['holder'] === DATA_TRANSFER ? 'part of another transfer' : 'data of its own';
  throw new Error(
    `${to.name} has ${what} (${counted}). Nothing was changed: name an empty database, or empty this one`,
  );
}
