import type { Database } from '../../../db/database.ts';
import type { Clock, EventSignal, Ids } from '../../../ports/ports.ts';
import type { StateRoles } from '../../../ports/tracker/tracker.ts';

export const LOCAL_TRACKER = 'local';

/** Configuration, asked anew on every use because a reload may change it. */
export type LocalTrackerSettings = {
  /** `tracker.local.prefix`: letters and digits, first a letter. */
  prefix(): string;
  /** Roles set by a person; what is left out keeps its default. Unknown state names are ignored. */
  roles(): { readonly [Role in keyof StateRoles]?: StateRoles[Role] | undefined };
  /** Where a person sees the issue; null when this service has no public address. */
  issueUrl(identifier: string): string | null;
};

export type LocalTrackerDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  events: EventSignal;
  settings: LocalTrackerSettings;
};
