import type { LogFields, Logger } from '../../ports.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type Level = (typeof LEVELS)[number];
const MAX_VALUE_CHARS = 2_000;

/** Structured logs, one line each: logfmt, or JSON with `SERVICE_LOG_FORMAT=json`. */
export function createLogger(options: {
  write: (line: string) => void;
  level: string | undefined;
  format: string | undefined;
  nowMs: () => number;
}): Logger {
  const least = LEVELS.findIndex((level) => level === options.level);
  const threshold = least === -1 ? LEVELS.indexOf('info') : least;
  const format = options.format === 'json' ? jsonLine : logfmtLine;
  const log =
    (level: Level) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(level) < threshold) return;
      const time = new Date(options.nowMs()).toISOString();
      options.write(format({ time, level, msg: message, ...fields }));
    };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

function jsonLine(fields: LogFields): string {
  return `${JSON.stringify(fields)}\n`;
}

function logfmtLine(fields: LogFields): string {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${logfmtValue(String(value))}`);
  return `${parts.join(' ')}\n`;
}

/** Quotes whatever could break a line or end a value; JSON's escapes also hide control characters. */
function logfmtValue(value: string): string {
  const cut = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS)}…` : value;
  return /^[\w./:@+-]+$/.test(cut) ? cut : JSON.stringify(cut);
}
