/** One lease of one attempt. Every database row, message and container of an attempt names both. */
export type LeaseRef = { attemptId: string; epoch: number };

/** Map key of a lease. */
export function leaseKey(ref: LeaseRef): string {
  return `${ref.attemptId}@${ref.epoch}`;
}
