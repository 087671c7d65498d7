import { sql } from 'drizzle-orm';
import { createLogger } from '../../control-plane/src/admin/observability/create-logger.ts';
import { startControlPlane } from '../../control-plane/src/platform/node/start-control-plane.ts';
import type { ControlPlaneUse } from './control-plane-process.ts';

// A real control plane in a process of its own, which also tells what it has used. Its first
// argument is the data folder; its parent asks over the channel and ends it by closing that.

const [dataDir] = process.argv.slice(2);
if (dataDir === undefined || process.send === undefined) {
  throw new Error('started by the bench only');
}
const controlPlane = await startControlPlane({
  host: '127.0.0.1',
  port: 0,
  dataDir,
  env: process.env,
  baseFile: null,
  logger: createLogger({
    write: (line) => void process.stderr.write(`${line}\n`),
    level: 'warn',
    format: undefined,
    nowMs: () => Date.now(),
  }),
});
const { db } = controlPlane.deps;

/** The driver keeps at most so many connections, and the database counts for each of them. */
const CONNECTIONS = 20;

/** What the process has used since its start. Asked at once, so that each connection answers. */
async function use(): Promise<ControlPlaneUse> {
  const counted = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      db.get<{ changes: number }>(sql`select total_changes() as changes`),
    ),
  );
  const { user, system } = process.cpuUsage();
  return {
    cpuMs: (user + system) / 1_000,
    residentBytes: process.memoryUsage.rss(),
    rowsChanged: counted.reduce((sum, each) => sum + each.changes, 0),
  };
}

process.on('message', () => {
  void use().then((answer) => process.send?.(answer));
});
process.once('disconnect', () => {
  void controlPlane.stop().then(() => process.exit(0));
});
process.send({ url: controlPlane.url });
