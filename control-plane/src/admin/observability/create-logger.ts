import { cutText } from '@switchyard/shared/text/cut-text';
import { escapeUnseen } from '@switchyard/shared/text/escape-unseen';
import { toJson } from '@switchyard/shared/text/well-formed-json';
import { createRedactor } from '../../observe/redaction/create-redactor.ts';
import type { Redactor } from '../../ports/redactor.ts';
import type { LogFields, Logger } from '../../ports/ports.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type Level = (typeof LEVELS)[number];
const MAX_VALUE_CHARS = 2_000;

/** A logger that can also report why the process ends. */
export type ProcessLogger = Logger & Record<'trace' | 'fatal', Logger['info']>;

/**
 * Structured logs, one line each: logfmt, JSON with `SERVICE_LOG_FORMAT=json`, or text for people
 * with `words`. Unknown levels and formats mean `info` and logfmt. Secrets that the redactor knows
 * or recognises are removed.
 */
export function createLogger(options: {
  write: (line: string) => void;
  level: string | undefined;
  format: string | undefined;
  nowMs: () => number;
  redactor?: Redactor;
}): ProcessLogger {
  const wanted = options.level?.trim().toLowerCase();
  const least = LEVELS.findIndex((level) => level === wanted);
  const threshold = least === -1 ? LEVELS.indexOf('info') : least;
  const format = FORMATS[options.format?.trim().toLowerCase() ?? ''] ?? logfmtLine;
  const redactor = options.redactor ?? createRedactor();
  const log =
    (level: Level) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(level) < threshold) return;
      const time = new Date(options.nowMs()).toISOString();
      const shown = redactor.fields(cut(fields));
      options.write(escapeUnseen(format({ time, level, msg: redactor.text(message), ...shown })));
    };
  return {
    trace: log('trace'),
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    fatal: log('fatal'),
  };
}

/** Truncates values that would flood the log, before they are searched for secrets. */
function cut(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? cutText(value, MAX_VALUE_CHARS, '…') : value,
    ]),
  );
}

function jsonLine(fields: LogFields): string {
  return `${toJson(fields)}\n`;
}

function logfmtLine(fields: LogFields): string {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${logfmtValue(String(value))}`);
  return `${parts.join(' ')}\n`;
}

/** The text of a log line for people: `warning: message (name: value)`. */
function messageLine({ time: _time, level, msg, ...fields }: LogFields): string {
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}: ${String(value)}`);
  const name = level === 'warn' ? 'warning' : String(level);
  return `${name}: ${String(msg)}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}\n`;
}

const FORMATS: Readonly<Record<string, typeof logfmtLine>> = { json: jsonLine, words: messageLine };

/** Quotes every value that could break a line or end early. */
function logfmtValue(value: string): string {
  return /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
}
