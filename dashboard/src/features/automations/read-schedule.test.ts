import { describe, expect, it } from 'vitest';
import { cronOf, readSchedule, scheduleText } from './read-schedule.ts';

describe('a schedule in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['5 * * * *', 'Every hour at minute 5'],
    ['0 */6 * * *', 'Every 6 hours at minute 0'],
    ['0 3 * * *', 'Every day at 03:00'],
    ['30 9,17 * * *', 'Every day at 09:30 and 17:30'],
    ['0 9 * * 1-5', 'Every weekday at 09:00'],
    ['0 9 * * MON-FRI', 'Every weekday at 09:00'],
    [' 0  4 * * 1 ', 'Every Monday at 04:00'],
    ['0 4 * * 0,6', 'Every Saturday and Sunday at 04:00'],
    ['0 4 * * 7', 'Every Sunday at 04:00'],
    ['0 4 * * 0-6', 'Every day at 04:00'],
    ['0 0 1 * *', 'On day 1 of every month at 00:00'],
    ['0 0 1,15 * *', 'On day 1 and 15 of every month at 00:00'],
  ])('%s: %s', (cron, words) => {
    expect(scheduleText(cron)).toBe(words);
    const schedule = readSchedule(cron);
    expect(schedule !== null && scheduleText(cronOf(schedule))).toBe(words);
  });

  // A wrong sentence would be worse than none.
  it.each([
    '',
    'daily',
    '0 3 * *',
    '0 0 3 * * *',
    '*/7 * * * *',
    '0 */5 * * *',
    '0,30 3 * * *',
    '0 3 1 * 1',
    '0 3 * 1 *',
    '0 3 L * *',
    '0 3 * * 1#2',
    '61 3 * * *',
    '0 25 * * *',
    '0 3 0 * *',
    '0 3 * * 5-1',
    '*/0 * * * *',
    '0 8-20 * * *',
  ])('none for %j', (cron) => expect(scheduleText(cron)).toBeNull());
});
