/** Structured logger. Fields are data; a secret never is one of them. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const MAX_VALUE_CHARS = 2_000;

function quote(value: string): string {
  const cut = value.length > MAX_VALUE_CHARS ? `${value.slice(0, MAX_VALUE_CHARS)}…` : value;
  return /^[\w.:/@,+-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** One line: `time level message key=value …`, the message first so that people can read it. */
function logfmtLine(level: string, message: string, fields: LogFields, atMs: number): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quote(String(value))}`);
  const head = `ts=${new Date(atMs).toISOString()} level=${level} msg=${quote(message)}`;
  return [head, ...pairs].join(' ');
}

/** Writes logfmt lines to standard error; standard output stays free for results. */
export function stderrLog(): Log {
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      process.stderr.write(`${logfmtLine(level, message, fields, Date.now())}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
