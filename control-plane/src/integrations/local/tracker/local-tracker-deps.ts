import type { Database } from '../../../db/database.ts';
import type { Clock, Ids } from '../../../ports/ports.ts';
import type { StateRoles } from '../../../ports/tracker/tracker.ts';

export const LOCAL_TRACKER = 'local';

/** The built-in tracker's configuration, read on every use because it may be reloaded. */
export type LocalTrackerSettings = {
  /** `tracker.local.prefix`: letters and digits, beginning with a letter. */
  prefix(): string;
  /** Configured roles; what is left out keeps its default. Unknown state names are ignored. */
  roles(): { readonly [Role in keyof StateRoles]?: StateRoles[Role] | undefined };
  /** `agent.subIssues`: levels below the topmost issue of a tree, and its issues. */
  treeLimits(): { maxDepth: number; maxIssues: number };
  /** The issue's page; null when this service has no public address. */
  issueUrl(identifier: string): string | null;
};

export type LocalTrackerDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  settings: LocalTrackerSettings;
};
