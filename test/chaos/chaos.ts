import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { CHAOS_ENGINES } from '../support/chaos/chaos-accounts.ts';
import { type ChaosRun, runChaos } from '../support/chaos/run-chaos.ts';
import { endWhenInterrupted, runCommand, say } from '../support/command/run-command.ts';
import { wholeNumber } from '../support/command/whole-number.ts';
import { WrongUse } from '../support/command/wrong-use.ts';

// `npm run chaos`: faults on real processes, judged from outside.
const HELP = `Kills and cuts off a real control plane and two real runners while agents work, then
looks from outside whether anything was lost or ran twice.

  npm run chaos [-- --kills N] [-- --attempts M] [-- --seed S] [-- --sandbox process|docker]
                [-- --engines NAMES] [-- --failover]

  --kills N       faults: kill -9 of either half, partitions, cut connections (default 20)
  --attempts M    issues that are worked on meanwhile (default 15)
  --seed S        whole number; the same faults in the same order (default: any)
  --sandbox KIND  process (default) or docker
  --engines NAMES agent engines, separated by commas, that issues take turns with, each on an account
                  with a key of its own (codex, opencode, claude; default: codex alone)
  --failover      their accounts are used up for a while, each once: others go on with the work
  --edge          the control plane in workerd with a libSQL server: its objects are evicted and
                  the Worker is restarted N times
  --json          nothing but the result, no progress
  --keep          keep the folder with logs and data; it is kept anyway when something is wrong
  --help          this text

The last line is JSON: {kills, attempts, lostAcknowledgedEvents, overlaps, orphans, lostCommits,
unfinished, strays, durationMs, seed}. Strays are attempts of another engine than the issue's and calls
with another account's key. The exit code is 1 unless every count of something wrong is 0.
`;

function options(): ChaosRun & { help: boolean } {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '20' },
      attempts: { type: 'string', default: '15' },
      seed: { type: 'string' },
      sandbox: { type: 'string', default: 'process' },
      engines: { type: 'string' },
      failover: { type: 'boolean', default: false },
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
  if (values.failover && values.engines === undefined) {
    throw new WrongUse('--failover needs --engines');
  }
  return {
    kills: wholeNumber('--kills', values.kills, 10_000),
    attempts: wholeNumber('--attempts', values.attempts, 10_000),
    seed:
      values.seed === undefined
        ? randomInt(1, 2 ** 31)
        : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    sandbox,
    ...(values.engines === undefined ? {} : { engines: engineList(values.engines) }),
    failover: values.failover,
    edge: values.edge,
    keepFolder: values.keep,
    started: endWhenInterrupted,
    say: (line) => {
      if (!json) say(line);
    },
    help,
  };
}

function engineList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !CHAOS_ENGINES.includes(name));
  if (unknown === undefined) return names;
  throw new WrongUse(`--engines takes some of ${CHAOS_ENGINES.join(', ')}, not ${unknown}`);
}

async function main(): Promise<boolean> {
  const { help, ...run } = options();
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const { result, problems, folder } = await runChaos(run);
  for (const problem of problems) say(problem);
  if (problems.length > 0) say(`logs and data: ${folder}`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return problems.length === 0;
}

await runCommand('chaos', main);
