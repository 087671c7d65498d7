let format: Intl.DateTimeFormat | undefined;

/** A time for readers in any time zone, for example `22 November at 14:05 UTC`. */
export function utcTime(ms: number): string {
  // Created on first use, which costs 30 ms and some memory.
  format ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const [day, month, hour, minute] = ['day', 'month', 'hour', 'minute'].map((name) =>
    parts.get(name as Intl.DateTimeFormatPartTypes),
  );
  return `${day} ${month} at ${hour}:${minute} UTC`;
}
