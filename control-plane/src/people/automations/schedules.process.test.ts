import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runsBetween, YEARS } from './testing/schedule-runs.ts';

const STEP_MS = 300_000;
const STEPS_A_DAY = 288;
const utc = (times: number[]) => times.map((atMs) => new Date(atMs).toISOString().slice(0, 16));

/** What the zone database says, read by Python: local time of every fifth minute of a year. */
const LOCAL_TIMES = `
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
zone, year = ZoneInfo(sys.argv[1]), int(sys.argv[2])
at, end = datetime(year, 1, 1, tzinfo=timezone.utc), datetime(year + 1, 1, 1, tzinfo=timezone.utc)
while at < end:
    print(at.astimezone(zone).strftime('%Y-%m-%d %H:%M'))
    at += timedelta(minutes=5)
`;
const python = (script: string, ...given: string[]) =>
  spawnSync('python3', ['-c', script, ...given], { encoding: 'utf8', maxBuffer: 16_000_000 });
const hasZones = python('import zoneinfo; zoneinfo.ZoneInfo("Pacific/Apia")').status === 0;

describe.skipIf(!hasZones)('schedules and the zones of Python (python3 with zoneinfo)', () => {
  it.each(YEARS)('agree in %s, %i', { timeout: 120_000 }, (timeZone, year) => {
    const locals: string[] = python(LOCAL_TIMES, timeZone, String(year)).stdout.trim().split('\n');
    const fromMs = Date.UTC(year, 0, 1);
    const toMs = Date.UTC(year + 1, 0, 1);
    const momentOf = (position: number) => fromMs + position * STEP_MS;

    // Named times: the first moment at which the clock has come so far, on a day that there is.
    const named = ['00:10', '01:30', '02:05', '02:30', '23:30'];
    const days = [...new Set<string>(locals.map((local) => local.slice(0, 10)))];
    const expected = new Set<number>();
    let position = 0;
    for (const wanted of days.flatMap((day) => named.map((time) => `${day} ${time}`))) {
      if (wanted < (locals[0] ?? '')) continue;
      while (position < locals.length && (locals[position] ?? '') < wanted) position += 1;
      if (position < locals.length) expected.add(momentOf(position));
    }
    const found = ['10 0', '30 1', '5,30 2', '30 23'].flatMap((time) =>
      runsBetween(`${time} * * *`, timeZone, fromMs, toMs),
    );
    expect(utc([...new Set(found)].toSorted((a, b) => a - b))).toEqual(
      utc([...expected].toSorted((a, b) => a - b)),
    );

    // Every half hour: whenever the clock shows it, both times in an hour that is repeated.
    for (let day = 1; day < 365; day += 1) {
      const first = day * STEPS_A_DAY;
      const hours = locals.slice(first, first + STEPS_A_DAY).map((local) => local.slice(11));
      const before = locals.slice(first - STEPS_A_DAY, first).map((local) => local.slice(11));
      if (hours.join() === before.join()) continue;
      const halves = hours.flatMap((time, at) =>
        /[03]0$/.test(time) ? [momentOf(first + at)] : [],
      );
      const until = momentOf(first + STEPS_A_DAY);
      expect(utc(runsBetween('*/30 * * * *', timeZone, momentOf(first), until))).toEqual(
        utc(halves),
      );
    }
  });
});
