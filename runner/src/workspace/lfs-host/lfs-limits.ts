const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** What one workspace fetches and one delivery pushes by Git LFS. */
export const LFS_LIMITS = {
  MAX_OBJECTS: 20_000,
  MAX_OBJECT_BYTES: 4 * GiB,
  MAX_TOTAL_BYTES: 16 * GiB,
  /** What one branch may add. */
  MAX_PUSHED_BYTES: 2 * GiB,
  /** Of one request to the batch API: what hosts take. */
  MAX_BATCH_OBJECTS: 100,
  MAX_ANSWER_BYTES: 4 * MiB,
  ASK_TIMEOUT_MS: 30_000,
  /** Of all objects together. */
  TRANSFER_TIMEOUT_MS: 15 * 60_000,
  /** Without a single byte. */
  IDLE_TIMEOUT_MS: 60_000,
} as const;
