/** One lease of one attempt. Every row, message and container of ours carries both. */
export type LeaseRef = { attemptId: string; epoch: number };

/** Map key of a lease. */
export function leaseKey(ref: LeaseRef): string {
  return `${ref.attemptId}@${ref.epoch}`;
}
