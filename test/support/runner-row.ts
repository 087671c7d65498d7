import type { runners } from '../../control-plane/src/db/schema/runners/runners.ts';

/** A runner that has joined, for tests that need no keys. */
export function runnerRow(runnerId: string): typeof runners.$inferInsert {
  return {
    runner_id: runnerId,
    name: runnerId,
    signing_key: {},
    sealing_key: {},
    allowed_labels: [],
    labels: [],
    slots_total: 1,
    isolation: 'process',
    version: '1',
    warnings: [],
    joined_at_ms: 1,
  };
}
