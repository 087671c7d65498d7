import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { createRowMetrics } from '../../control-plane/src/observe/metrics/create-row-metrics.ts';
import { createBackgroundTasks } from '../../control-plane/src/platform/node/background-tasks.ts';
import { createPromMetrics } from '../../control-plane/src/platform/node/create-prom-metrics.ts';
import type { Metrics } from '../../control-plane/src/ports/ports.ts';
import { promtoolPart } from '../support/promtool.ts';
import { requiresAllParts } from '../support/system-part.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { createTestPorts } from '../support/test-ports.ts';
import { describeMetrics, type MetricsHarness } from './describe-metrics.ts';

const promtool = promtoolPart();
const SHORT_MS = 1;

async function rowHarness(): Promise<MetricsHarness> {
  const { db, close } = await createTestDatabase();
  const { logger } = createTestPorts();
  const background = createBackgroundTasks(logger);
  const metrics = createRowMetrics({ db, background, logger }, { flushAfterMs: SHORT_MS });
  const end = async () => {
    await background.settled();
    await close();
  };
  return { metrics, close: end };
}

describeMetrics('memory', async () => ({ metrics: createPromMetrics(), close: async () => {} }));
describeMetrics('rows', rowHarness);

function countAll(metrics: Metrics): void {
  const provider = 'tracker' as const;
  metrics.inc('service_http_requests_total', { method: 'GET', status: '200' });
  metrics.inc('service_orchestrator_polls_total', { status: 'success' });
  metrics.inc('service_agent_runs_total', { outcome: 'stalled' });
  metrics.inc('service_webhook_deliveries_total', { provider, status: 'accepted' });
  metrics.inc('service_webhook_duplicates_total', { provider });
  metrics.inc('service_webhook_events_processed_total', { provider, outcome: 'done' });
  metrics.inc('service_webhook_processor_retries_total', { provider, reason: 'busy' });
  metrics.inc('service_webhook_dlq_total', { reason: 'gone' });
  metrics.inc('service_webhook_subscription_checks_total', { provider, status: 'ok' });
  metrics.observe('service_http_request_duration_seconds', { method: 'POST' }, 0.02);
  metrics.observe('service_http_request_duration_seconds', { method: 'GET' }, 0.02);
  metrics.observe('service_webhook_processing_latency_seconds', { provider }, 4);
  metrics.set('service_container_cpu_percent', { container: 'att_1' }, 1.5);
  metrics.set('service_container_memory_percent', { container: 'att_1' }, 2);
  metrics.set('service_webhook_backlog_count', { provider }, 1);
  metrics.set('service_webhook_dlq_count', {}, 2);
  metrics.set('service_webhook_last_delivery_age_seconds', { provider }, 12);
}

describe('the two keepers of metrics', () => {
  let harness: MetricsHarness | null = null;
  afterEach(async () => {
    await harness?.close();
    harness = null;
  });

  it('write the very same text', async () => {
    harness = await rowHarness();
    const inMemory = createPromMetrics();
    countAll(inMemory);
    countAll(harness.metrics);
    expect(await harness.metrics.render()).toBe(await inMemory.render());
  });
});

describe('metrics kept by rows', () => {
  it('add up what several processes counted, and survive them', async () => {
    const { db, close } = await createTestDatabase();
    const { logger } = createTestPorts();
    const background = createBackgroundTasks(logger);
    const made = () => createRowMetrics({ db, background, logger }, { flushAfterMs: SHORT_MS });
    const [first, second] = [made(), made()];
    for (const metrics of [first, second]) {
      metrics.inc('service_agent_runs_total', { outcome: 'completed' }, 2);
      metrics.observe('service_webhook_processing_latency_seconds', { provider: 'tracker' }, 1);
    }
    // The flush that the count asked for, without a scrape.
    await background.settled();
    const text = await made().render();
    expect(text).toContain('service_agent_runs_total{outcome="completed"} 4\n');
    expect(text).toContain(
      'service_webhook_processing_latency_seconds_count{provider="tracker"} 2\n',
    );
    await background.settled();
    await close();
  });

  it('lose nothing to a database that is away for a while', async () => {
    const { db, close } = await createTestDatabase();
    const { logger, complaints } = createTestPorts();
    const background = createBackgroundTasks(logger);
    let away = true;
    const failing: typeof db = Object.assign(Object.create(db), {
      batch: (...args: Parameters<typeof db.batch>) =>
        away ? Promise.reject(new Error('away')) : db.batch(...args),
    });
    const metrics = createRowMetrics(
      { db: failing, background, logger },
      { flushAfterMs: SHORT_MS },
    );
    metrics.inc('service_agent_runs_total', { outcome: 'failed' });
    await background.settled();
    expect(complaints).toEqual(['metrics were not stored']);
    away = false;
    metrics.inc('service_agent_runs_total', { outcome: 'failed' });
    expect(await metrics.render()).toContain('service_agent_runs_total{outcome="failed"} 2\n');
    await background.settled();
    await close();
  });
});

describe.skipIf(!promtool.available && !requiresAllParts())('promtool', () => {
  it('finds nothing to say but about the two gauge names that are fixed', async () => {
    const metrics = createPromMetrics();
    countAll(metrics);
    const input = await metrics.render();
    const judged = spawnSync('promtool', ['check', 'metrics'], {
      input,
      encoding: 'utf8',
      timeout: 20_000,
    });
    const said = `${judged.stdout}${judged.stderr}`.split('\n').filter((line) => line !== '');
    const suffix = 'non-histogram and non-summary metrics should not have "_count" suffix';
    expect(said.sort()).toEqual([
      `service_webhook_backlog_count ${suffix}`,
      `service_webhook_dlq_count ${suffix}`,
    ]);
  });
});
