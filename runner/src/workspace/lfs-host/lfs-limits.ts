const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** Limits on Git LFS in one workspace's fetch and one delivery's push. */
export const LFS_LIMITS = {
  MAX_OBJECTS: 20_000,
  MAX_OBJECT_BYTES: 4 * GiB,
  MAX_TOTAL_BYTES: 16 * GiB,
  /** Bytes that one branch may add. */
  MAX_PUSHED_BYTES: 2 * GiB,
  /** Objects of one request to the batch API, as hosts accept. */
  MAX_BATCH_OBJECTS: 100,
  MAX_ANSWER_BYTES: 4 * MiB,
  ASK_TIMEOUT_MS: 30_000,
  /** Time for all objects together. */
  TRANSFER_TIMEOUT_MS: 15 * 60_000,
  /** Time without a single byte. */
  IDLE_TIMEOUT_MS: 60_000,
} as const;
