/** A schedule of a common kind, for a sentence. Hours and minutes as `09:00`. */
export type PlainSchedule =
  | { every: 'minutes'; count: number }
  | { every: 'hours'; count: number; minute: number }
  | { every: 'day' | 'weekday'; times: string[] }
  | { every: 'week'; days: number[]; times: string[] }
  | { every: 'month'; days: number[]; times: string[] };

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT_DAYS = DAYS.map((day) => day.slice(0, 3).toUpperCase());
const MONTHLY_DAYS_MAX = 31;
/** More times than this do not fit into a sentence. */
const TIMES_MAX = 6;
const WEEKDAYS = '1,2,3,4,5';

/** Days of the week with their number in a cron expression. */
export const WEEK = DAYS.map((day, number) => [String(number), day] as const);

/** A cron expression of five fields as a plain schedule; null for one of no common kind. */
export function readSchedule(cron: string): PlainSchedule | null {
  const parts = cron.trim().split(/\s+/);
  const [minutes = '', hours = '', monthDays = '', months = '', weekDays = ''] = parts;
  if (parts.length !== 5 || months !== '*') return null;
  const isDaily = monthDays === '*' && weekDays === '*';
  const often = isDaily ? readOften(minutes, hours) : null;
  if (often !== null) return often;
  const times = readTimes(minutes, hours);
  if (times === null) return null;
  if (isDaily) return { every: 'day', times };
  if (weekDays === '*') {
    const days = numbersOf(monthDays, 1, MONTHLY_DAYS_MAX);
    return days === null ? null : { every: 'month', days, times };
  }
  const days = monthDays === '*' ? readWeekDays(weekDays) : null;
  if (days === null) return null;
  if (days.length === DAYS.length) return { every: 'day', times };
  return days.join() === WEEKDAYS ? { every: 'weekday', times } : { every: 'week', days, times };
}

/** The cron expression of a schedule. */
export function cronOf(schedule: PlainSchedule): string {
  if (schedule.every === 'minutes') return `${stepOf(schedule.count)} * * * *`;
  if (schedule.every === 'hours') return `${schedule.minute} ${stepOf(schedule.count)} * * *`;
  const [first = '00:00'] = schedule.times;
  const minute = Number(first.slice(3));
  const hours = schedule.times.map((time) => Number(time.slice(0, 2))).join(',');
  const days =
    schedule.every === 'week' || schedule.every === 'month' ? schedule.days.join(',') : '*';
  if (schedule.every === 'month') return `${minute} ${hours} ${days} * *`;
  return `${minute} ${hours} * * ${schedule.every === 'weekday' ? '1-5' : days}`;
}

/** The schedule as a sentence without its time zone; null for one of no common kind. */
export function scheduleText(cron: string): string | null {
  const schedule = readSchedule(cron);
  if (schedule === null) return null;
  const { every } = schedule;
  if (every === 'minutes') {
    return schedule.count === 1 ? 'Every minute' : `Every ${schedule.count} minutes`;
  }
  if (every === 'hours') {
    const hours = schedule.count === 1 ? 'Every hour' : `Every ${schedule.count} hours`;
    return `${hours} at minute ${schedule.minute}`;
  }
  const at = `at ${listed(schedule.times)}`;
  if (!('days' in schedule)) return `Every ${every} ${at}`;
  if (schedule.every === 'week')
    return `Every ${listed(inWeek(schedule.days).map((day) => DAYS[day] ?? ''))} ${at}`;
  return `On day ${listed(schedule.days.map(String))} of every month ${at}`;
}

function readOften(minutes: string, hours: string): PlainSchedule | null {
  const minuteStep = readStep(minutes, 60);
  if (hours === '*' && minuteStep !== null) return { every: 'minutes', count: minuteStep };
  const hourStep = readStep(hours, 24);
  const [minute, ...others] = numbersOf(minutes, 0, 59) ?? [];
  if (hourStep === null || minute === undefined || others.length > 0) return null;
  return { every: 'hours', count: hourStep, minute };
}

function readTimes(minutes: string, hours: string): string[] | null {
  const [minute, ...others] = numbersOf(minutes, 0, 59) ?? [];
  const found = numbersOf(hours, 0, 23);
  if (minute === undefined || others.length > 0 || found === null) return null;
  if (found.length > TIMES_MAX) return null;
  return found.map((hour) => `${twoDigits(hour)}:${twoDigits(minute)}`);
}

/** The days of the week in a cron field, where 7 is Sunday like 0; null for anything else. */
function readWeekDays(text: string): number[] | null {
  const plain = SHORT_DAYS.reduce(
    (sentence, day, number) => sentence.replaceAll(day, String(number)),
    text.toUpperCase(),
  );
  const days = numbersOf(plain, 0, 7)?.map((day) => day % DAYS.length);
  return days === undefined ? null : [...new Set(days)].toSorted((a, b) => a - b);
}

/**
 * The step of a cron field; `*` is 1. Null for a step that does not divide `whole`: it restarts at
 * each multiple, so it is not regular.
 */
function readStep(text: string, whole: number): number | null {
  if (text === '*') return 1;
  const count = Number(/^\*\/(\d+)$/.exec(text)?.[1] ?? Number.NaN);
  return count > 0 && count < whole && whole % count === 0 ? count : null;
}

/**
 * The numbers of a cron field with single numbers, ranges and lists, in order; null for anything
 * else.
 */
function numbersOf(text: string, min: number, max: number): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    if (match === null) return null;
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (from < min || to > max || from > to) return null;
    for (let number = from; number <= to; number += 1) found.add(number);
  }
  return [...found].toSorted((a, b) => a - b);
}

/** Days of the week in order, Monday first. */
function inWeek(days: readonly number[]): number[] {
  return days.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
}

const stepOf = (count: number) => (count === 1 ? '*' : `*/${count}`);
const twoDigits = (number: number) => String(number).padStart(2, '0');

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
