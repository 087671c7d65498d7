import { Cron, CronPattern } from 'croner';

/**
 * When a schedule is due next after a time, epoch milliseconds; null when never. Throws on an
 * invalid schedule.
 *
 * Named hours (values, lists, ranges) are due once for each local time, also when a clock change
 * repeats or skips it; every hour or a step of hours is due by elapsed time. Source: cron(8) of
 * Debian, NOTES; there a `*` in the minutes makes the hours unnamed too, so that every ten minutes
 * of a skipped hour are not due at all.
 */
export function nextRunAtMs(
  { schedule, timeZone }: { schedule: string; timeZone: string },
  afterMs: number,
): number | null {
  const options = { timezone: timeZone, mode: '5-part' } as const;
  const { pattern, minute, hour } = new CronPattern(schedule, timeZone, options);
  const [, hours = '', ...days] = pattern.trim().split(/\s+/);
  const isNamed = !/[*?/]/.test(hours) && hour.includes(0);
  const minutes = minute.flatMap((isOn, at) => (isOn ? [at] : [])).join(',');
  const cron = isNamed
    ? new Cron([minutes, hours, ...days].join(' '), { ...options, fixedTimeRule: 'no-wildcard' })
    : new Cron(pattern, options);
  return cron.nextRun(new Date(afterMs))?.getTime() ?? null;
}
