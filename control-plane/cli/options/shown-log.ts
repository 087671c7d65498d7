import { wantsJson } from '@switchyard/shared/settings/wants-json';

/** `warnings`: only warnings and errors, as text for people. */
export type ShownLog = 'all' | 'warnings' | 'none';

/** Commands that run until they are stopped; their log can be requested even with `--json`. */
const SERVING = new Set(['start', 'edge']);

/**
 * The part of the log that a command shows on standard error. At a terminal `start` shows only what
 * people must know, and with `--json` no command shows any; a serving command shows all when its
 * log was requested.
 */
export function shownLog(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ShownLog {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  const serves = SERVING.has(argv[0] ?? '');
  const isSet = (name: string) => (env[name] ?? '').trim() !== '';
  const isAsked = argv.includes('--logs') || isSet('LOG_LEVEL') || isSet('SERVICE_LOG_FORMAT');
  if (serves && isAsked) return 'all';
  if (wantsJson(argv)) return 'none';
  return argv[0] === 'start' && isTerminal ? 'warnings' : 'all';
}
