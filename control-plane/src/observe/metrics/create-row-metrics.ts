import { messageOf } from '@switchyard/shared/message-of';
import { sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { metricSeries } from '../../db/schema/operation/metrics.ts';
import type { BackgroundTasks, Logger, Metrics } from '../../ports/ports.ts';
import { GAUGES, HISTOGRAMS, COUNTERS } from './counters.ts';
import { renderSeries, type Series } from './render-series.ts';

/** How long counts are collected before a write; a crash loses at most these. */
const FLUSH_AFTER_MS = 1_000;
/**
 * Series kept while the database fails; further ones are dropped. There are few labels, so it is
 * never reached.
 */
const MAX_WAITING_SERIES = 5_000;
/** Rows of one statement, with three parameters each; some databases allow 100 parameters. */
const ROWS_PER_STATEMENT = 33;

type Pending = Map<string, Series>;

/**
 * Metrics with counters stored as rows, for runtimes without long-lived processes: each process
 * adds its counts in batches. Gauges have the values that this process set for the scrape.
 */
export function createRowMetrics(
  deps: { db: Database; background: BackgroundTasks; logger: Logger },
  { flushAfterMs = FLUSH_AFTER_MS }: { flushAfterMs?: number } = {},
): Metrics & { flush(): Promise<void> } {
  let pending: Pending = new Map();
  let scheduled = false;
  const gauges: Pending = new Map();

  function add(name: string, labels: string, value: number): void {
    const key = `${name}{${labels}}`;
    const known = pending.get(key);
    if (known !== undefined) known.value += value;
    else if (pending.size < MAX_WAITING_SERIES) pending.set(key, { name, labels, value });
    if (!scheduled) schedule();
  }

  function schedule(): void {
    scheduled = true;
    deps.background.run('flush metrics', async () => {
      await new Promise<void>((resolve) => setTimeout(resolve, flushAfterMs));
      scheduled = false;
      await flush();
    });
  }

  async function flush(): Promise<void> {
    const taken = [...pending.values()];
    if (taken.length === 0) return;
    pending = new Map();
    try {
      const [first, ...others] = chunks(taken, ROWS_PER_STATEMENT).map((rows) =>
        deps.db
          .insert(metricSeries)
          .values(rows)
          .onConflictDoUpdate({
            target: [metricSeries.name, metricSeries.labels],
            set: { value: sql`${metricSeries.value} + excluded.value` },
          }),
      );
      if (first !== undefined) await deps.db.batch([first, ...others]);
    } catch (error) {
      // A failed batch stores nothing; the next count triggers another flush.
      for (const { name, labels, value } of taken) keep(pending, { name, labels, value });
      deps.logger.warn('metrics were not stored', {
        error: messageOf(error),
      });
    }
  }

  return {
    inc(name, labels, by = 1) {
      if (by > 0) add(name, seriesLabels(COUNTERS[name].labels, labels), by);
    },
    observe(name, labels, seconds) {
      const { labels: order, buckets } = HISTOGRAMS[name];
      const text = seriesLabels(order, labels);
      const bound = buckets.find((each) => seconds <= each);
      add(`${name}_bucket`, `le="${bound ?? '+Inf'}",${text}`, 1);
      add(`${name}_sum`, text, seconds);
    },
    set(name, labels, value) {
      const text = seriesLabels(GAUGES[name].labels, labels);
      gauges.set(`${name}{${text}}`, { name, labels: text, value });
    },
    clear(name) {
      for (const [key, series] of gauges) if (series.name === name) gauges.delete(key);
    },
    async render() {
      await flush();
      // In order of insertion, as an in-memory implementation shows them.
      const rows = await deps.db
        .select()
        .from(metricSeries)
        .orderBy(sql`rowid`);
      return renderSeries([...rows, ...gauges.values()]);
    },
    flush,
  };
}

function keep(pending: Pending, { name, labels, value }: Series): void {
  const key = `${name}{${labels}}`;
  const known = pending.get(key);
  if (known !== undefined) known.value += value;
  else if (pending.size < MAX_WAITING_SERIES) pending.set(key, { name, labels, value });
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Labels in the syntax of the text exposition, in the given order: `method="GET",status="200"`. */
function seriesLabels(order: readonly string[], labels: Readonly<Record<string, string>>): string {
  return order.map((name) => `${name}="${escapeValue(labels[name] ?? '')}"`).join(',');
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
