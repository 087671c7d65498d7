import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../../db/database.ts';
import { heldWorkspaces } from '../../db/schema/runners/held-workspaces.ts';

/** Records that a runner may soon hold an issue's workspace; belongs in the batch of its offer. */
export function holdWorkspace(
  db: Database,
  held: { runnerId: string; key: string; tracker: string; issueId: string },
): Statement {
  const { runnerId, key, tracker, issueId } = held;
  return db
    .insert(heldWorkspaces)
    .values({ runner_id: runnerId, key, tracker, issue_id: issueId })
    .onConflictDoUpdate({
      target: [heldWorkspaces.runner_id, heldWorkspaces.key],
      set: { tracker, issue_id: issueId, revision: sql`${heldWorkspaces.revision} + 1` },
    });
}
