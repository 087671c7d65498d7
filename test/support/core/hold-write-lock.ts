import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@libsql/client';

/** Program: holds the write lock of a database file for a while. Arguments: path, milliseconds. */
const [path = '', holdMs = '0'] = process.argv.slice(2);
const client = createClient({ url: `file:${path}`, timeout: 5_000 });
const transaction = await client.transaction('write');
await transaction.execute(
  "insert into facts (name, value, updated_at_ms) values ('held', '{}', 0) on conflict do nothing",
);
process.stdout.write('holding\n');
await delay(Number(holdMs));
await transaction.commit();
client.close();
