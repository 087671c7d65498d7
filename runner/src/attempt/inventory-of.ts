import type { HeldItem } from '@switchyard/shared/protocol/messages';
import type { JournalEntry } from '../connection/journal/journal.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import type { AttemptDeps } from './attempt-deps.ts';
import type { LeaseReaper } from './session/lease-reaper.ts';

/** The host's inventory: its journal together with the leases known to the reaper. */
export function inventoryOf(deps: AttemptDeps, reaper: LeaseReaper): HeldItem[] {
  const items = new Map<string, HeldItem>();
  for (const item of reaper.items()) items.set(leaseKey(item), item);
  for (const entry of deps.journal.list()) items.set(leaseKey(entry), itemOf(deps, reaper, entry));
  return [...items.values()];
}

function itemOf({ spool }: AttemptDeps, reaper: LeaseReaper, entry: JournalEntry): HeldItem {
  const stream = spool.stream(entry);
  const containerId = entry.containerId ?? reaper.peek(entry)?.containerId ?? null;
  const { attemptId, epoch, phase } = entry;
  return {
    attemptId,
    epoch,
    phase,
    containerId,
    spooledSeq: stream?.spooledSeq ?? 0,
    ackedSeq: stream?.ackedSeq ?? 0,
  };
}
