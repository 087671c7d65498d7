import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { migrate } from 'drizzle-orm/libsql/migrator';
import { afterEach, beforeEach } from 'vitest';
import { openRemoteDatabase } from '../../control-plane/src/db/open-remote-database.ts';
import { describeDatabase } from '../contracts/describe-database.ts';
import { MIGRATIONS } from '../support/core/migrations.ts';
import { type Sqld, startSqld } from '../support/sqld/start-sqld.ts';

let sqld: Sqld;
beforeEach(async () => {
  sqld = await startSqld();
  const client = createClient({ url: sqld.url, authToken: sqld.token });
  await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  client.close();
});
afterEach(() => sqld.stop());

describeDatabase('a server', async () =>
  openRemoteDatabase({ url: sqld.url, authToken: sqld.token }),
);
