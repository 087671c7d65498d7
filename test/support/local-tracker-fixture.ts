import type { Caller } from '../../control-plane/src/http/caller/caller.ts';
import type {
  LocalTrackerDeps,
  LocalTrackerSettings,
} from '../../control-plane/src/integrations/local/tracker/local-tracker-deps.ts';
import { createTestDatabase } from './test-database.ts';
import { type TestPorts, createTestPorts } from './test-ports.ts';

export const PERSON: Caller = { actor: 'ada', source: 'API', requestId: 'req-1', path: '/test' };

/** The built-in tracker's parts on a database of their own; settings can be replaced. */
export async function createLocalTrackerFixture(
  settings: Partial<LocalTrackerSettings> = {},
): Promise<{
  deps: LocalTrackerDeps;
  ports: TestPorts;
  /** How often event streams were notified. */
  notified: () => number;
  close: () => Promise<void>;
}> {
  const { db, notified, close } = await createTestDatabase();
  const ports = createTestPorts();
  const deps: LocalTrackerDeps = {
    db,
    clock: ports.clock,
    ids: ports.ids,
    settings: {
      prefix: () => 'SY',
      roles: () => ({}),
      treeLimits: () => ({ maxDepth: 3, maxIssues: 50 }),
      issueUrl: () => null,
      ...settings,
    },
  };
  return { deps, ports, notified, close };
}
