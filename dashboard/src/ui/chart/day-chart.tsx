import { useEffect, useRef, useState } from 'preact/hooks';
import { useScheme } from '../layout/use-scheme.ts';
import { type DaySeries, shortDay } from './day-series.ts';
import './day-chart.css';

type DayChartProps = {
  /** The question that the chart answers. */
  title: string;
  /** The answer as text, also for people who cannot see the bars. */
  answer: string;
  /** `YYYY-MM-DD`, oldest first; each series has one value per day. */
  days: readonly string[];
  /** Series of the chart, stacked. */
  series: readonly DaySeries[];
  format: (value: number) => string;
  /** A day as text, where its values alone are incomplete. */
  readout?: (position: number) => string;
};

/** A bar chart by day. The drawing library is loaded with the first chart of a page. */
export function DayChart(props: DayChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const scheme = useScheme();
  const { days, series, format } = props;
  const data = JSON.stringify([days, series]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let gone = false;
    let end = () => {};
    void import('./draw-bars.ts').then(({ drawBars }) => {
      if (gone) return;
      end = drawBars(element, { days, series, format, onHover: setHovered });
    });
    return () => {
      gone = true;
      end();
    };
    // `data` represents days and series, which are new arrays at every fetch.
  }, [data, scheme, format]);
  return (
    <figure class="day-chart">
      <figcaption>
        <h3>{props.title}</h3>
        <p>{hovered === null ? props.answer : readout(props, hovered)}</p>
      </figcaption>
      <div ref={frame} class="day-chart-frame" role="img" aria-label={props.answer} />
    </figure>
  );
}

function readout({ days, series, format, ...props }: DayChartProps, position: number): string {
  const day = shortDay(days[position] ?? '');
  if (props.readout !== undefined) return `${day}: ${props.readout(position)}`;
  const values = series.map((one) => {
    const value = format(one.values[position] ?? 0);
    return series.length === 1 ? value : `${value} ${one.name}`;
  });
  return `${day}: ${values.join(', ')}`;
}
