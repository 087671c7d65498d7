import { afterEach, describe, expect, it } from 'vitest';
import type { Metrics } from '../../control-plane/src/ports/ports.ts';

export type MetricsHarness = { metrics: Metrics; close: () => Promise<void> };

/** What an adapter must do, whoever keeps the numbers. */
export function describeMetrics(name: string, make: () => Promise<MetricsHarness>): void {
  const made: MetricsHarness[] = [];
  afterEach(async () => {
    for (const harness of made.splice(0)) await harness.close();
  });
  const open = async () => {
    const harness = await make();
    made.push(harness);
    return harness.metrics;
  };

  describe(`metrics kept by ${name}`, () => {
    it('announces all sixteen before anything was counted', async () => {
      const text = await (await open()).render();
      expect(typesIn(text)).toEqual(EXPECTED_TYPES);
      expect(samplesIn(text)).toEqual(['service_webhook_dlq_count 0']);
    });

    it('adds up a counter for each set of labels', async () => {
      const metrics = await open();
      metrics.inc('service_http_requests_total', { method: 'GET', status: '200' });
      metrics.inc('service_http_requests_total', { method: 'GET', status: '404' }, 2);
      metrics.inc('service_http_requests_total', { method: 'GET', status: '200' });
      metrics.inc('service_webhook_dlq_total', { reason: 'gone' }, 0);
      const samples = samplesIn(await metrics.render());
      expect(samples).toContain('service_http_requests_total{method="GET",status="200"} 2');
      expect(samples).toContain('service_http_requests_total{method="GET",status="404"} 2');
      expect(samples.filter((line) => line.startsWith('service_webhook_dlq_total'))).toEqual([]);
    });

    it('goes on counting after it was read', async () => {
      const metrics = await open();
      const labels = { outcome: 'oom' } as const;
      metrics.inc('service_agent_runs_total', labels);
      await metrics.render();
      metrics.inc('service_agent_runs_total', labels);
      const samples = samplesIn(await metrics.render());
      expect(samples).toContain('service_agent_runs_total{outcome="oom"} 2');
    });

    it('shows cumulative buckets, the sum and the number of observations', async () => {
      const metrics = await open();
      for (const seconds of [0.001, 0.3, 99]) {
        metrics.observe('service_http_request_duration_seconds', { method: 'GET' }, seconds);
      }
      const lines = samplesIn(await metrics.render());
      const of = (suffix: string) =>
        lines.filter((line) => line.startsWith(`service_http_request_duration_seconds${suffix}{`));
      expect(of('_bucket').map((line) => Number(line.split(' ')[1]))).toEqual([
        1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3,
      ]);
      expect(of('_bucket').at(-1)).toContain('le="+Inf"');
      expect(of('_sum')).toEqual([
        'service_http_request_duration_seconds_sum{method="GET"} 99.301',
      ]);
      expect(of('_count')).toEqual(['service_http_request_duration_seconds_count{method="GET"} 3']);
    });

    it('shows a gauge as it was last set, and nothing of it once cleared', async () => {
      const metrics = await open();
      metrics.set('service_container_cpu_percent', { container: 'att_1' }, 10);
      metrics.set('service_container_cpu_percent', { container: 'att_1' }, 12.5);
      metrics.set('service_container_memory_percent', { container: 'att_1' }, 50);
      metrics.set('service_webhook_dlq_count', {}, 3);
      expect(samplesIn(await metrics.render())).toEqual([
        'service_container_cpu_percent{container="att_1"} 12.5',
        'service_container_memory_percent{container="att_1"} 50',
        'service_webhook_dlq_count 3',
      ]);
      metrics.clear('service_container_cpu_percent');
      metrics.clear('service_webhook_dlq_count');
      expect(samplesIn(await metrics.render())).toEqual([
        'service_container_memory_percent{container="att_1"} 50',
        'service_webhook_dlq_count 0',
      ]);
    });

    it('keeps a label value from ending its line', async () => {
      const metrics = await open();
      metrics.inc('service_webhook_dlq_total', { reason: 'a"b\\c\nd' });
      expect(samplesIn(await metrics.render())).toContain(
        'service_webhook_dlq_total{reason="a\\"b\\\\c\\nd"} 1',
      );
    });
  });
}

const EXPECTED_TYPES = {
  service_http_requests_total: 'counter',
  service_orchestrator_polls_total: 'counter',
  service_agent_runs_total: 'counter',
  service_webhook_deliveries_total: 'counter',
  service_webhook_duplicates_total: 'counter',
  service_webhook_events_processed_total: 'counter',
  service_webhook_processor_retries_total: 'counter',
  service_webhook_dlq_total: 'counter',
  service_webhook_subscription_checks_total: 'counter',
  service_http_request_duration_seconds: 'histogram',
  service_webhook_processing_latency_seconds: 'histogram',
  service_container_cpu_percent: 'gauge',
  service_container_memory_percent: 'gauge',
  service_webhook_backlog_count: 'gauge',
  service_webhook_dlq_count: 'gauge',
  service_webhook_last_delivery_age_seconds: 'gauge',
};

function typesIn(text: string): Record<string, string> {
  const entries = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, metric, type]) => [
    metric,
    type,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function samplesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
