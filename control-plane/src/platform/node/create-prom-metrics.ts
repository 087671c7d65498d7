import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../../observe/metrics/counters.ts';
import type { CounterLabels, GaugeLabels, HistogramLabels, Metrics } from '../../ports/ports.ts';

/** Metrics in memory: counters restart with each start, as scrapers expect. */
export function createPromMetrics(): Metrics {
  // A separate registry, because a process may contain several control planes.
  const registry = new Registry();
  const registers = [registry];
  const counters = mapValues(
    COUNTERS,
    (name, { help, labels }) => new Counter({ name, help, labelNames: [...labels], registers }),
  );
  const histograms = mapValues(
    HISTOGRAMS,
    (name, { help, labels, buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
  );
  const gauges = mapValues(
    GAUGES,
    (name, { help, labels }) => new Gauge({ name, help, labelNames: [...labels], registers }),
  );
  return {
    inc<N extends keyof CounterLabels>(name: N, labels: CounterLabels[N], by = 1) {
      if (by > 0) counters[name].inc(labels, by);
    },
    observe<N extends keyof HistogramLabels>(name: N, labels: HistogramLabels[N], seconds: number) {
      histograms[name].observe(labels, seconds);
    },
    set<N extends keyof GaugeLabels>(name: N, labels: GaugeLabels[N], value: number) {
      gauges[name].set(labels, value);
    },
    clear: (name) => gauges[name].reset(),
    render: () => registry.metrics(),
  };
}

function mapValues<Names extends object, Made>(
  given: Names,
  make: (name: string, value: Names[keyof Names]) => Made,
): Record<keyof Names, Made> {
  const entries = Object.entries(given).map(([name, value]) => [
    name,
    make(name, value as Names[keyof Names]),
  ]);
  return Object.fromEntries(entries) as Record<keyof Names, Made>;
}
