import { cutText } from '@switchyard/shared/text/cut-text';
import { escapeUnseen } from '@switchyard/shared/text/escape-unseen';
import { toJson } from '@switchyard/shared/text/well-formed-json';

/** Structured logger. Fields are data and never contain a secret. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const MAX_VALUE_CHARS = 2_000;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

function quote(value: string): string {
  const cut = cutText(value, MAX_VALUE_CHARS, '…');
  return /^[\w.:/@,+-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/**
 * One line `time level message key=value …`, with the message before the fields for readability.
 */
function logfmtLine(level: string, message: string, fields: LogFields, atMs: number): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quote(String(value))}`);
  const head = `ts=${new Date(atMs).toISOString()} level=${level} msg=${quote(message)}`;
  return [head, ...pairs].join(' ');
}

function jsonLine(level: string, message: string, fields: LogFields, atMs: number): string {
  const cut = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? cutText(value, MAX_VALUE_CHARS) : value,
  ]);
  const time = new Date(atMs).toISOString();
  return toJson({ time, level, msg: message, ...Object.fromEntries(cut) });
}

/** `warning: message (name: value)`, as the control plane's log for people. */
function messageLine(level: string, message: string, fields: LogFields): string {
  const facts = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}: ${cutText(String(value), MAX_VALUE_CHARS, '…')}`);
  const name = level === 'warn' ? 'warning' : level;
  return `${name}: ${message}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

const FORMATS: Readonly<Record<string, typeof logfmtLine>> = { json: jsonLine, words: messageLine };

/**
 * Logs to standard error, so that standard output stays free for results: logfmt, or JSON or text
 * by `SERVICE_LOG_FORMAT`, from `LOG_LEVEL` on, like the control plane.
 */
export function stderrLog(env: NodeJS.ProcessEnv): Log {
  const line = FORMATS[env['SERVICE_LOG_FORMAT']?.trim().toLowerCase() ?? ''] ?? logfmtLine;
  const wanted = LEVELS.indexOf(env['LOG_LEVEL']?.trim().toLowerCase() ?? '');
  const least = wanted === -1 ? LEVELS.indexOf('info') : wanted;
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(level) < least) return;
      process.stderr.write(`${escapeUnseen(line(level, message, fields, Date.now()))}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
