import { type DeliveryBurst, measureDeliveryBurst } from './delivery-burst.ts';
import { type DeliveryLatency, measureDeliveryLatency } from './delivery-latency.ts';
import { measureTrackerRequests, type TrackerRequests } from './tracker-requests.ts';

export type Deliveries = {
  latency: DeliveryLatency;
  burst: DeliveryBurst;
  trackerRequests: TrackerRequests;
};

const GRANT_P50_GOAL_MS = 5;
const GRANT_P99_GOAL_MS = 25;
const ACK_P99_GOAL_MS = 50;

/** Everything that is measured about deliveries, one after another. */
export async function measureDeliveries(): Promise<Deliveries> {
  const latency = await measureDeliveryLatency();
  const burst = await measureDeliveryBurst();
  return { latency, burst, trackerRequests: await measureTrackerRequests() };
}

/** The same as lines of the bench's table. */
export function deliveryRows({ latency, burst, trackerRequests }: Deliveries): [string, string][] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const perS = (value: number) => `${Math.round(value)}/s`;
  const goal = (value: number, most: number) =>
    `goal ${most} ms on an idle machine: ${value <= most ? 'met' : 'missed'}`;
  const { activeIssues, changesPerHour, pollingOnly, withWebhooks } = trackerRequests;
  const hour = `tracker: requests per hour, ${activeIssues} active issues, ${changesPerHour} changes`;
  const sent = `deliveries: ${burst.deliveries} over ${burst.connections} connections`;
  return [
    [
      `deliveries: acknowledged to granted, p50 (${goal(latency.p50Ms, GRANT_P50_GOAL_MS)})`,
      ms(latency.p50Ms),
    ],
    [`deliveries: the same, p99 (${goal(latency.p99Ms, GRANT_P99_GOAL_MS)})`, ms(latency.p99Ms)],
    ['deliveries: a question at the tracker, p50', ms(latency.trackerP50Ms)],
    ['deliveries: one durable insert, p50', ms(latency.insertP50Ms)],
    ['deliveries: one socket round trip, p50', ms(latency.roundTripP50Ms)],
    ['deliveries: p50 as a multiple of insert plus round trip', latency.ratio.toFixed(1)],
    [`${sent}: lost`, String(burst.lost)],
    [`${sent}: not processed exactly once`, String(burst.notOnce)],
    [`${sent}: acknowledged`, perS(burst.acknowledgedPerS)],
    [`${sent}: processed`, perS(burst.processedPerS)],
    [`${sent}: acknowledgement, p50`, ms(burst.ackP50Ms)],
    [`${sent}: p99 (${goal(burst.ackP99Ms, ACK_P99_GOAL_MS)})`, ms(burst.ackP99Ms)],
    [`${sent}: processor time of one`, `${burst.deliveryCpuMs.toFixed(2)} ms`],
    [`${sent}: requests to the tracker`, String(burst.trackerRequests)],
    [`${hour}, polling only`, String(pollingOnly)],
    [`${hour}, with webhooks`, String(withWebhooks)],
  ];
}
