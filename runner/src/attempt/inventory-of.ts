import type { HeldItem } from '@switchyard/shared/protocol/messages';
import type { Journal } from '../connection/journal/journal.ts';
import type { Spool } from '../connection/journal/spool.ts';
import { leaseKey } from '../connection/lease-ref.ts';
import type { LeaseReaper } from './session/lease-reaper.ts';

/** The host's inventory: its journal together with the leases known to the reaper. */
export function inventoryOf(journal: Journal, spool: Spool, reaper: LeaseReaper): HeldItem[] {
  const items = new Map<string, HeldItem>();
  for (const item of reaper.items()) items.set(leaseKey(item), item);
  for (const entry of journal.list()) {
    const { attemptId, epoch, phase } = entry;
    const stream = spool.stream(entry);
    items.set(leaseKey(entry), {
      attemptId,
      epoch,
      phase,
      containerId: entry.containerId ?? reaper.peek(entry)?.containerId ?? null,
      spooledSeq: stream?.spooledSeq ?? 0,
      ackedSeq: stream?.ackedSeq ?? 0,
    });
  }
  return [...items.values()];
}
