import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AutomationsSection } from '../../config/sections/automations.ts';
import { nextRunAtMs } from './next-run-at-ms.ts';
import { runsBetween, YEARS } from './testing/schedule-runs.ts';

const utc = (times: number[]) => times.map((atMs) => new Date(atMs).toISOString().slice(0, 16));
const between = (schedule: string, timeZone: string, from: string, to: string) =>
  utc(runsBetween(schedule, timeZone, Date.parse(from), Date.parse(to)));

describe('schedules', () => {
  it('are due by the clock of their time zone, also when that is changed', () => {
    const berlin = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' };
    const next = (after: string) =>
      new Date(nextRunAtMs(berlin, Date.parse(after)) ?? 0).toISOString();
    expect(next('2026-01-01T00:00:00Z')).toBe('2026-01-01T01:30:00.000Z');
    expect(next('2026-07-01T01:00:00Z')).toBe('2026-07-02T00:30:00.000Z');
    // 02:30 does not exist on the day that summer time begins.
    expect(next('2026-03-29T00:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });
});

describe('schedules that the configuration accepts', () => {
  it('have a next time', () => {
    const field = fc.constantFrom(
      '*',
      '?',
      '0',
      '1',
      '7',
      '30',
      '31',
      'L',
      '*/7',
      '1-5',
      '5L',
      '1#2',
    );
    const named = fc.constantFrom('@daily', '@weekly', '@hourly', '@yearly', ' 0 4 * * *  ');
    const fields = fc.tuple(field, field, field, field, field).map((parts) => parts.join(' '));
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(fields, named), fc.constantFrom(...YEARS), (schedule, [timeZone]) => {
        const automation = { name: 'nightly', schedule, timeZone, mode: 'refresh' };
        if (!AutomationsSection.safeParse([automation]).success) return;
        accepted += 1;
        expect(nextRunAtMs({ schedule, timeZone }, 0)).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(30);
  });
});

describe('schedules where clocks change', () => {
  const newYork = 'America/New_York';

  it('with named hours are due once in an hour that is repeated: the first time', () => {
    const night = ['2026-11-01T04:00Z', '2026-11-01T08:00Z'] as const;
    for (const schedule of ['30 1 * * *', '30 1,13 * * *', '30 0-1,13 * * 0']) {
      const due = between(schedule, newYork, ...night).filter((time) => time > '2026-11-01T05');
      expect([schedule, due]).toEqual([schedule, ['2026-11-01T05:30']]);
    }
    const quarters = ['00', '15', '30', '45'].map((minute) => `2026-11-01T05:${minute}`);
    expect(between('*/15 1 * * *', newYork, ...night)).toEqual(quarters);
  });

  it('with named hours are due right after an hour that is missing, once', () => {
    const night = ['2026-03-08T05:00Z', '2026-03-08T12:00Z'] as const;
    for (const schedule of ['30 2 * * *', '0,30 2,14 * * *', '*/15 2 * * *', '0 2-3 * * *']) {
      const due = between(schedule, newYork, ...night);
      expect([schedule, due]).toEqual([schedule, ['2026-03-08T07:00']]);
    }
  });

  it('with every hour go by elapsed time, however that is written', () => {
    for (const hours of ['*', '0-23', '*/1', '0-11,12-23']) {
      const autumn = between(`0 ${hours} * * *`, newYork, '2026-11-01T04:00Z', '2026-11-01T08:00Z');
      expect([hours, ...autumn]).toEqual(
        [hours, 4, 5, 6, 7].map((at) => (typeof at === 'string' ? at : `2026-11-01T0${at}:00`)),
      );
      const spring = between(`0 ${hours} * * *`, newYork, '2026-03-08T05:00Z', '2026-03-08T09:00Z');
      expect([hours, spring.length]).toEqual([hours, 4]);
    }
    const steps = between('0 1-23/2 * * *', newYork, '2026-11-01T04:00Z', '2026-11-01T09:00Z');
    expect(steps).toEqual(['2026-11-01T05:00', '2026-11-01T06:00', '2026-11-01T08:00']);
  });

  it('are due at moments that rise, each named time of a day once', () => {
    const hours = fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 3 });
    const minute = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(fc.constantFrom(...YEARS), hours, minute, ([timeZone, year], named, minutes) => {
        const fromMs = Date.UTC(year, 0, 1);
        const toMs = Date.UTC(year + 1, 0, 1);
        const found = runsBetween(`${minutes} ${named.join(',')} * * *`, timeZone, fromMs, toMs);
        for (const [at, atMs] of found.entries()) expect(atMs).toBeGreaterThan(found[at - 1] ?? 0);
        const locals = found.map(localTime(timeZone));
        expect(new Set(locals).size).toBe(locals.length);
        // All but a time that a change of clocks skips are met to the minute.
        const unmet = locals.filter(
          (local) => !named.some((hour) => local.endsWith(` ${two(hour)}:${two(minutes)}`)),
        );
        expect(unmet.length).toBeLessThanOrEqual(2);
        const days = new Set(locals.map((local) => local.slice(0, 10))).size;
        expect(days).toBeGreaterThanOrEqual(timeZone === 'Pacific/Apia' ? 364 : 365);
        expect(locals.length).toBeGreaterThanOrEqual(days * named.length - 2 * named.length);
      }),
      { numRuns: 12 },
    );
  });
});

const two = (value: number) => String(value).padStart(2, '0');

function localTime(timeZone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return (atMs) => format.format(atMs);
}
