import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type DaySeries, shortDay } from './day-series.ts';

const HEIGHT_PX = 132;
const BAR_SHARE = 0.62;
const BAR_MAX_PX = 22;
/** End of the scale without data; even, so that its middle is a whole number. */
const NOTHING_YET = 2;

type Bars = {
  days: readonly string[];
  series: readonly DaySeries[];
  format: (value: number) => string;
  onHover: (position: number | null) => void;
};

/** Draws stacked bars into the element at its width; returns a function that removes them. */
export function drawBars(element: HTMLElement, bars: Bars): () => void {
  const colour = (token: string) => resolvedColour(element, token);
  const bar = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_PX], radius: 0.15 });
  const axis = {
    stroke: colour('--ink-quiet'),
    font: '11px system-ui, sans-serif',
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: Math.max(1, element.clientWidth),
    height: HEIGHT_PX,
    legend: { show: false },
    padding: [8, 4, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false, range: [-0.6, bars.days.length - 0.4] }, y: { range: fromZero } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        splits: () => dayTicks(bars.days.length),
        values: (_, splits) => splits.map((position) => shortDay(bars.days[position] ?? '')),
      },
      {
        ...axis,
        grid: { stroke: colour('--line'), width: 1 },
        size: 44,
        space: 34,
        values: (_, splits) => splits.map((value) => bars.format(value)),
      },
    ],
    series: [
      {},
      ...stacked(bars.series).map((one) => ({
        label: one.name,
        fill: colour(one.token),
        width: 0,
        points: { show: false },
        ...(bar === undefined ? {} : { paths: bar }),
      })),
    ],
    hooks: { setCursor: [(plot) => bars.onHover(plot.cursor.idx ?? null)] },
  };
  const positions = bars.days.map((_, position) => position);
  const values = stacked(bars.series).map((one) => [...one.values]);
  const plot = new uPlot(options, [positions, ...values], element);
  const observer = new ResizeObserver(() =>
    plot.setSize({ width: Math.max(1, element.clientWidth), height: HEIGHT_PX }),
  );
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/**
 * Each series with those below it added, the tallest first, so that shorter ones are drawn over it.
 */
function stacked(series: readonly DaySeries[]): DaySeries[] {
  const sums: number[] = [];
  return series
    .map((one) => ({
      ...one,
      values: one.values.map((value, position) => (sums[position] = (sums[position] ?? 0) + value)),
    }))
    .toReversed();
}

function fromZero(_: uPlot, __: number | null, max: number | null): [number, number] {
  return [0, max === null || max <= 0 ? NOTHING_YET : max * 1.1];
}

/** Positions of the labelled days: the first, and further ones at equal distances. */
function dayTicks(days: number): number[] {
  const step = Math.max(1, Math.floor((days - 1) / 3));
  return Array.from({ length: Math.ceil(days / step) }, (_, tick) => tick * step);
}

/** A colour token resolved for a canvas. */
function resolvedColour(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
