import type { Database } from '../../../db/database.ts';
import type { Clock, Ids } from '../../../ports/ports.ts';

export const LOCAL_CODE_HOST = 'local';

export type LocalCodeHostDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  /** Public origin of this service, for absolute links; null when unknown. */
  publicOrigin(): string | null;
};
