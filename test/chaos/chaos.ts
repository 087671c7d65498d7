import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type ChaosRun, runChaos } from '../support/chaos/run-chaos.ts';

// `npm run chaos`: faults on real processes, judged from outside.
const EXIT_INTERRUPTED = 130;
const HELP = `Kills and cuts off a real control plane and two real runners while agents work, then
looks from outside whether anything was lost or ran twice.

  npm run chaos [-- --kills N] [-- --attempts M] [-- --seed S] [-- --sandbox process|docker]

  --kills N       faults: kill -9 of either half, partitions, cut connections (default 20)
  --attempts M    issues that are worked on meanwhile (default 15)
  --seed S        whole number; the same faults in the same order (default: any)
  --sandbox KIND  process (default) or docker
  --edge          the control plane in workerd with a libSQL server: its objects are evicted and
                  the Worker is restarted N times
  --json          nothing but the result, no progress
  --keep          keep the folder with logs and data; it is kept anyway when something is wrong
  --help          this text

The last line is JSON: {kills, attempts, lostAcknowledgedEvents, overlaps, orphans, lostCommits,
unfinished, durationMs, seed}. The exit code is 1 unless every count of something wrong is 0.
`;

const say = (line: string) => void process.stderr.write(`${line}\n`);

class WrongUse extends Error {}

function options(): ChaosRun & { help: boolean } {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '20' },
      attempts: { type: 'string', default: '15' },
      seed: { type: 'string' },
      sandbox: { type: 'string', default: 'process' },
      edge: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { sandbox, json, help } = values;
  if (sandbox !== 'process' && sandbox !== 'docker') {
    throw new WrongUse(`--sandbox takes process or docker, not ${sandbox}`);
  }
  return {
    kills: wholeNumber('--kills', values.kills, 10_000),
    attempts: wholeNumber('--attempts', values.attempts, 10_000),
    seed:
      values.seed === undefined
        ? randomInt(1, 2 ** 31)
        : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    sandbox,
    edge: values.edge,
    keepFolder: values.keep,
    started: (close) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.once(signal, () => void close().finally(() => process.exit(EXIT_INTERRUPTED)));
      }
    },
    say: (line) => {
      if (!json) say(line);
    },
    help,
  };
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max) {
    throw new WrongUse(`${name} takes a whole number from 1 to ${max}`);
  }
  return value;
}

async function main(): Promise<void> {
  const { help, ...run } = options();
  if (help) return void process.stdout.write(HELP);
  const { result, problems, folder } = await runChaos(run);
  for (const problem of problems) say(problem);
  if (problems.length > 0) say(`logs and data: ${folder}`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
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
  say(`chaos: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = isWrongUse(error) ? 2 : 1;
}
