import { groupBy } from '@switchyard/shared/group-by';
import { COUNTERS, GAUGES, HISTOGRAMS } from './counters.ts';

/**
 * One stored series. A `_bucket` value counts only its own bucket; `renderSeries` makes buckets
 * cumulative.
 */
export type Series = { name: string; labels: string; value: number };

/** The text exposition of all metrics, including those without a series. */
export function renderSeries(series: readonly Series[]): string {
  const byName = groupBy(series, ({ name }) => name);
  const of = (name: string) => byName.get(name) ?? [];
  const blocks = [
    ...Object.entries(COUNTERS).map(([name, { help }]) =>
      block(name, help, 'counter', of(name).map(line)),
    ),
    ...Object.entries(HISTOGRAMS).map(([name, { help, buckets }]) =>
      block(name, help, 'histogram', histogramLines(name, buckets, of)),
    ),
    ...Object.entries(GAUGES).map(([name, { help, labels }]) =>
      block(name, help, 'gauge', gaugeLines(name, labels, of(name))),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function block(name: string, help: string, type: string, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function line({ name, labels, value }: Series): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}

/** The lines of a gauge; one without labels always has a series. */
function gaugeLines(name: string, labels: readonly string[], series: readonly Series[]): string[] {
  if (labels.length === 0 && series.length === 0) return [line({ name, labels: '', value: 0 })];
  return series.map(line);
}

/** The lines of a histogram: cumulative buckets, sum and count for each set of labels. */
function histogramLines(
  name: string,
  buckets: readonly number[],
  of: (name: string) => readonly Series[],
): string[] {
  const counts = new Map(of(`${name}_bucket`).map(({ labels, value }) => [labels, value]));
  return of(`${name}_sum`).flatMap((sum) => {
    let total = 0;
    const lines = [...buckets, '+Inf'].map((bound) => {
      const labels = `le="${bound}",${sum.labels}`;
      total += counts.get(labels) ?? 0;
      return line({ name: `${name}_bucket`, labels, value: total });
    });
    return [...lines, line(sum), line({ name: `${name}_count`, labels: sum.labels, value: total })];
  });
}
