import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endWhenInterrupted, runCommand, say } from '../support/command/run-command.ts';
import { wholeNumber } from '../support/command/whole-number.ts';
import { WrongUse } from '../support/command/wrong-use.ts';
import { KINDS } from '../support/overnight/kinds.ts';
import type { OvernightRun } from '../support/overnight/run-overnight.ts';
import { runOvernight } from '../support/overnight/run-overnight.ts';

// `npm run overnight`: every kind of misbehaving agent on the real engine, judged from outside.
const HELP = `Gives a real service one issue for each of ${KINDS.length} ways in which agents and their
providers misbehave, and looks what became of it. At the end the service is stopped while every slot works.

  npm run overnight [-- --faults [N]] [-- --seed S] [-- --only NAME] [-- --slots N]

  --faults N      kills (-9) of the runner, or of both halves at once, while agents work (default 0)
  --seed S        whole number; the same order and the same faults (default: any)
  --only NAME     one kind; may be given several times
  --slots N       agents at a time (default 3)
  --sandbox KIND  docker (default) or process
  --list          the names of the kinds
  --json          nothing but the result, no progress
  --help          this text

The last line is JSON: {kinds, right, wrong, pullRequests, attempts, faults, leftRunning, durationMs,
seed}. The exit code is 1 unless all are right and nothing is left running.
`;

function options() {
  const { values } = parseArgs({
    options: {
      faults: { type: 'string', default: '' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      slots: { type: 'string', default: '3' },
      sandbox: { type: 'string', default: 'docker' },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { sandbox, only } = values;
  if (sandbox !== 'process' && sandbox !== 'docker')
    throw new WrongUse(`--sandbox takes process or docker, not ${sandbox}`);
  const chosen: OvernightRun['sandbox'] = sandbox;
  const unknown = only?.find((name) => !KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined) throw new WrongUse(`there is no kind ${unknown}; see --list`);
  return {
    ...values,
    kinds: KINDS.filter(({ name }) => only?.includes(name) ?? true),
    faults: values.faults === '' ? 0 : wholeNumber('--faults', values.faults, 1_000),
    slots: wholeNumber('--slots', values.slots, 64),
    seed:
      values.seed === undefined
        ? randomInt(1, 2 ** 31)
        : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    sandbox: chosen,
  };
}

async function main(): Promise<boolean> {
  const { help, list, json, kinds, faults, slots, seed, sandbox } = options();
  if (help || list) {
    process.stdout.write(help ? HELP : `${KINDS.map(({ name }) => name).join('\n')}\n`);
    return true;
  }
  const run = { kinds, faults, slots, seed, sandbox, started: endWhenInterrupted };
  const { result, problems } = await runOvernight({
    ...run,
    say: (line) => {
      if (!json) say(line);
    },
  });
  for (const problem of problems) say(problem);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return problems.length === 0;
}

await runCommand('overnight', main);
