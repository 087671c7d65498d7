import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endWhenInterrupted, runCommand, say } from '../support/command/run-command.ts';
import { wholeNumber } from '../support/command/whole-number.ts';
import { runEdgeSoak } from './edge/run-edge-soak.ts';
import { measureDashboard } from './measure-dashboard.ts';
import { measureLighthouse } from './measure-lighthouse.ts';
import { runHostileSoak } from './run-hostile-soak.ts';
import { runSoak, type SoakOptions } from './run-soak.ts';

// `npm run soak`: a real service under mixed load for a while, judged from outside.
const HELP = `Puts a real service with working agents under mixed load, then sends it nothing but rubbish.

  npm run soak [-- --minutes N] [-- --fuzz N] [-- --seed S]
  npm run soak -- --hostile [-- --minutes N]
  npm run soak -- --edge [-- --minutes N]
  npm run soak -- --dashboard | --lighthouse

  --minutes N   of mixed load: a client over the limit, one that sends rubbish, one that follows
                the events over reconnects, and three that use the API (default 10)
  --fuzz N      requests of rubbish afterwards (default 20000)
  --seed S      whole number; the same rubbish in the same order (default: any)
  --hostile     nothing of this, but the same usual work twice for --minutes each: alone, and
                beside clients without a token that try to use up memory and processor on every
                path: bodies without end, readers who do not read, slow senders, guesses
  --edge        nothing of this, but the Worker in workerd with 16 scripted runners, people and senders
                of deliveries for --minutes, while its libSQL server is killed and started again twice
  --dashboard   nothing of this, but 500 events/s into the log of an open dashboard for a minute
  --lighthouse  nothing of this, but Lighthouse's desktop scores for performance and accessibility
                of the overview and of a finished issue; npm fetches it (176 MB) into its cache
  --keep        keep the data folder, with the end of the service's log
  --help        this text

It uses a folder of its own, plain processes as the sandbox, a scripted model, the default limits
and addresses under 127.0.0.0/8 (Linux). The last line is JSON; the exit code is 1 when its problems are
not empty: an answer above 500 other than 501, 502 and 503, an event lost or repeated, memory that
grows, a refusal that should not be, a service that is not well afterwards; for the dashboard frames
above 50 ms (95 %) or an interaction above 100 ms; for Lighthouse a score below 95; beside hostile
clients more than 100 MiB above the run without them, memory that grows in the second half, or
/healthz above 250 ms (99 %); at the edge something that was acknowledged and is not stored, or nothing
stored for a minute.
`;

type Choice = Record<'help' | 'hostile' | 'edge' | 'dashboard' | 'lighthouse', boolean>;

function options(): SoakOptions & Choice {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      fuzz: { type: 'string', default: '20000' },
      seed: { type: 'string' },
      keep: { type: 'boolean', default: false },
      hostile: { type: 'boolean', default: false },
      edge: { type: 'boolean', default: false },
      dashboard: { type: 'boolean', default: false },
      lighthouse: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    minutes: wholeNumber('--minutes', values.minutes, 1_440),
    fuzz: wholeNumber('--fuzz', values.fuzz, 1_000_000),
    seed:
      values.seed === undefined
        ? randomInt(1, 2 ** 30)
        : wholeNumber('--seed', values.seed, 2 ** 30),
    keep: values.keep,
    hostile: values.hostile,
    edge: values.edge,
    dashboard: values.dashboard,
    lighthouse: values.lighthouse,
    help: values.help,
  };
}

async function main(): Promise<boolean> {
  const { help, hostile, edge, dashboard, lighthouse, ...run } = options();
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const hooks = { say, started: endWhenInterrupted };
  const ways: [boolean, () => Promise<{ problems: string[] }>][] = [
    [hostile, () => runHostileSoak({ seconds: run.minutes * 60 }, hooks)],
    [edge, () => runEdgeSoak({ minutes: run.minutes }, hooks)],
    [dashboard, () => measureDashboard(say)],
    [lighthouse, () => measureLighthouse(say, hooks.started)],
    [true, () => runSoak(run, hooks)],
  ];
  const [, way] = ways.find(([chosen]) => chosen) ?? [];
  const result = (await way?.()) ?? { problems: ['nothing was run'] };
  for (const problem of result.problems) say(problem);
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value;
  process.stdout.write(`${JSON.stringify(result, rounded)}\n`);
  return result.problems.length === 0;
}

await runCommand('soak', main);
