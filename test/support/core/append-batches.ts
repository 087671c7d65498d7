import { openDatabase } from '../../../control-plane/src/platform/node/database/open-database.ts';
import { appendEvents } from '../../../control-plane/src/observe/events/append-events.ts';
import { MIGRATIONS } from './migrations.ts';

/** Program: commits batches of one to three events each. Arguments: path, count, name. */
const [path = '', count = '0', name = ''] = process.argv.slice(2);
const { db, close } = await openDatabase(path, MIGRATIONS);
process.stdout.write('open\n');
for (let batch = 0; batch < Number(count); batch += 1) {
  const events = Array.from({ length: (batch % 3) + 1 }, (_, index) => ({
    type: 'issue.updated' as const,
    atMs: 0,
    data: { name, batch, index },
  }));
  const [first, ...rest] = appendEvents(db, 0, events);
  if (first === undefined) throw new Error('no statements');
  await db.batch([first, ...rest]);
}
close();
