import type { ServerAddress } from '../../../db/server/create-server-fetch.ts';
import { NotReady } from '../not-ready.ts';

/** The libSQL server from the settings. Throws NotReady when there is none. */
export function databaseOf(variables: Readonly<Record<string, string | undefined>>): ServerAddress {
  const url = variables['SERVICE_DATABASE_URL'] ?? '';
  if (url === '') throw new NotReady('SERVICE_DATABASE_URL is missing: where the libSQL server is');
  const authToken = variables['SERVICE_DATABASE_TOKEN'] ?? '';
  return authToken === '' ? { url } : { url, authToken };
}
