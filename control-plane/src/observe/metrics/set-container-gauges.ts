import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { attempts } from '../../db/schema/work/attempts.ts';
import { runners } from '../../db/schema/runners/runners.ts';
import type { Database } from '../../db/database.ts';
import type { Metrics } from '../../ports/ports.ts';

/**
 * Sets the gauges of running containers from their runners' last renewals. A container is named
 * after its attempt; its gauges disappear when it ends.
 */
export async function setContainerGauges({
  db,
  metrics,
}: {
  db: Database;
  metrics: Metrics;
}): Promise<void> {
  const rows = await db
    .select({ attemptId: attempts.attempt_id, load: runners.load })
    .from(attempts)
    .innerJoin(runners, eq(runners.runner_id, attempts.runner_id))
    .where(
      and(eq(attempts.status, 'running'), isNull(attempts.released_at_ms), isNotNull(runners.load)),
    );
  metrics.clear('service_container_cpu_percent');
  metrics.clear('service_container_memory_percent');
  for (const { attemptId, load } of rows) {
    const use = load?.[attemptId];
    if (use === undefined) continue;
    const labels = { container: attemptId };
    metrics.set('service_container_cpu_percent', labels, use.cpuPercent);
    metrics.set('service_container_memory_percent', labels, use.memoryPercent);
  }
}
