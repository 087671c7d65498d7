import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runSoak, type SoakOptions } from './run-soak.ts';

// `npm run soak`: a real service under mixed load for a while, judged from outside.
const EXIT = { failed: 1, usage: 2, interrupted: 130 } as const;
const HELP = `Puts a real service with working agents under mixed load, then sends it nothing but rubbish.

  npm run soak [-- --minutes N] [-- --fuzz N] [-- --seed S]

  --minutes N   of mixed load: a client over the limit, one that sends rubbish, one that follows
                the events over reconnects, and three that use the API (default 10)
  --fuzz N      requests of rubbish afterwards (default 20000)
  --seed S      whole number; the same rubbish in the same order (default: any)
  --keep        keep the data folder, with the end of the service's log
  --help        this text

It uses a folder of its own, plain processes as the sandbox, a scripted model, the default limits
and addresses under 127.0.0.0/8 (Linux). The last line is JSON; the exit code is 1 when its problems are
not empty: an answer above 500 other than 501, 502 and 503, an event lost or repeated, memory that
grows, a refusal that should not be, a service that is not well afterwards.
`;

const say = (line: string) => void process.stderr.write(`${line}\n`);

class WrongUse extends Error {}

function options(): SoakOptions & { help: boolean } {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      fuzz: { type: 'string', default: '20000' },
      seed: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    minutes: positive('--minutes', values.minutes, 1_440),
    fuzz: positive('--fuzz', values.fuzz, 1_000_000),
    seed:
      values.seed === undefined ? randomInt(1, 2 ** 30) : positive('--seed', values.seed, 2 ** 30),
    keep: values.keep,
    help: values.help,
  };
}

function positive(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new WrongUse(`${name} takes a whole number from 1 to ${max}`);
  }
  return value;
}

async function main(): Promise<void> {
  const { help, ...run } = options();
  if (help) return void process.stdout.write(HELP);
  const started = (close: () => Promise<void>) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void close().finally(() => process.exit(EXIT.interrupted)));
    }
  };
  const result = await runSoak(run, { say, started });
  for (const problem of result.problems) say(problem);
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  process.stdout.write(`${JSON.stringify(result, rounded)}\n`);
  process.exitCode = result.problems.length > 0 ? EXIT.failed : 0;
}

/** parseArgs names its own errors by code. */
function isWrongUse(error: unknown): boolean {
  if (error instanceof WrongUse) return true;
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

try {
  await main();
} catch (error) {
  say(`soak: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = isWrongUse(error) ? EXIT.usage : EXIT.failed;
}
