import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import type { ServiceClient } from '../e2e/service-client.ts';
import { contentOf, type LeaseRecord, type WireRecord } from './wire-record.ts';

const PAGE = 500;

/** The part of the client that is needed here. */
type Api = Pick<ServiceClient, 'must'>;

/**
 * What the wire saw acknowledged and the API does not show exactly once, in order and as it was
 * said. One line in words for each.
 */
export async function lostAcknowledged(record: WireRecord, client: Api): Promise<string[]> {
  const byAttempt = Map.groupBy(record.leases.values(), ({ attemptId }) => attemptId);
  const lost: string[] = [];
  for (const [attemptId, leases] of byAttempt) {
    const stored = await storedEvents(client, attemptId);
    for (const lease of leases) lost.push(...lostOfLease(lease, stored));
  }
  return lost;
}

function lostOfLease(lease: LeaseRecord, events: readonly StreamEvent[]): string[] {
  const { attemptId, epoch, ackedSeq, said } = lease;
  const stored = events.filter(({ data }) => data['epoch'] === epoch);
  const problems: string[] = [];
  for (const [index, { data }] of stored.entries()) {
    const seq = Number(data['runnerSeq']);
    const where = `${attemptId} epoch ${epoch} event ${seq}`;
    if (seq !== index + 1) problems.push(`${where} is stored in place ${index + 1}`);
    const variants = said.get(seq);
    const shortened = JSON.stringify(data['payload'] ?? null).includes('"truncated":true');
    if (variants === undefined) problems.push(`${where} was never said`);
    else if (!shortened && !variants.has(contentOf(data['kind'], data['payload'])))
      problems.push(`${where} is stored otherwise than it was said`);
  }
  for (let seq = stored.length + 1; seq <= ackedSeq; seq += 1) {
    problems.push(`${attemptId} epoch ${epoch} event ${seq} was acknowledged and is not stored`);
  }
  return problems;
}

/**
 * What runners said of an attempt, over all its leases, oldest first. The service itself tells the end
 * of what an agent had begun when its lease ended; those events have no number of a runner.
 */
async function storedEvents(client: Api, attemptId: string): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for (let after = 0; ;) {
    const path = `/attempts/${attemptId}?after=${after}&limit=${PAGE}`;
    const { events } = await client.must<{ events: StreamEvent[] }>('GET', path);
    const said = events.filter(({ data }) => data['runnerSeq'] !== null);
    all.push(...said.filter(({ type }) => type === 'attempt.event'));
    const last = events.at(-1);
    if (last === undefined) return all;
    after = last.seq;
  }
}
