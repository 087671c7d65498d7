import type { MetricSummary } from '@switchyard/shared/api/observability';

const SAMPLE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

/** The metrics of a text exposition; histograms by count and mean. */
export function summariseMetrics(exposition: string): MetricSummary[] {
  const lines = exposition.split('\n');
  const types = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, type: type as MetricSummary['type'] }];
  });
  const samples = lines.flatMap((line) => {
    const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
  const of = (name: string) => samples.filter((sample) => sample.name === name);
  return types.map(({ name, type }) => {
    if (type !== 'histogram') {
      return { name, type, series: of(name).map((each) => shown(each.labels, each.value)) };
    }
    const series = of(`${name}_count`).map(({ labels, value }) => {
      const sum = of(`${name}_sum`).find((each) => each.labels === labels)?.value ?? 0;
      return { ...shown(labels, value), mean: value === 0 ? 0 : sum / value };
    });
    return { name, type, series };
  });
}

function shown(text: string, value: number) {
  const pairs = [...text.matchAll(LABEL)].map(([, name = '', label = '']) => [
    name,
    label.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character)),
  ]);
  return { labels: Object.fromEntries(pairs) as Record<string, string>, value };
}
