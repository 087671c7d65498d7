import { messageOf } from '@switchyard/shared/message-of';
import { parseArgs } from 'node:util';
import { defaultSandboxImage } from '../../runner/src/container/docker/image/default-sandbox-image.ts';
import { dockerCommandProblem } from '../bench/bare-container.ts';
import { endWhenInterrupted, runCommand, say } from '../support/command/run-command.ts';
import { WrongUse } from '../support/command/wrong-use.ts';
import { dockerPart } from '../support/docker.ts';
import { runGitHubTrouble } from '../support/github/run-github-trouble.ts';
import { pollForAnHour } from '../support/linear/poll-for-an-hour.ts';
import type {
  JourneyNotice,
  JourneySandbox,
  JourneyTracker,
} from '../support/journey/journey-world.ts';
import { type JourneyResult, runJourney } from '../support/journey/run-journey.ts';

// `npm run test:e2e`: from an issue to a merged pull request, against fakes with real HTTP and git.
const TRACKERS: readonly JourneyTracker[] = ['linear', 'github'];
const NOTICES: readonly JourneyNotice[] = ['webhooks', 'polling'];
const ISSUES_IN_LINEAR = 230;
/** Linear allows 250,000 a key: people's own tools live on it too. */
const MAX_POINTS_AN_HOUR = 100_000;
const HELP = `Follows an issue from a tracker to a merged pull request: a container works on it, the pull
request is pushed over smart HTTP, its check fails, the same branch gets a second commit, a person
merges it, and the issue is done. Meanwhile every planted credential is searched for in logs, events,
files, processes and containers. For GitHub an issue also goes through a push that a rule refuses,
checks out of sight, a private member's review, a spell of 404 and a transfer. For Linear it is also measured what an hour of polling costs of its
allowance, on a clock that is put forward.

  npm run test:e2e [-- linear|github] [-- --notice webhooks|polling] [-- --sandbox auto|docker|process]

  linear, github   only this tracker (default: both)
  --notice KIND    how the service hears of things (default: by webhooks, then by polling alone)
  --sandbox KIND   auto takes Docker when a daemon and the sandbox image are there, else processes
  --help           this text

The last line is JSON. The exit code is 0 when every journey arrived and no credential was found, 1
otherwise, 2 for wrong use.
`;

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      notice: { type: 'string' },
      sandbox: { type: 'string', default: 'auto' },
      help: { type: 'boolean', default: false },
    },
  });
  const trackers = positionals.map((name) => oneOf('the tracker', name, TRACKERS));
  const { notice, sandbox, help } = values;
  return {
    trackers: trackers.length === 0 ? TRACKERS : [...new Set(trackers)],
    notices: notice === undefined ? NOTICES : [oneOf('--notice', notice, NOTICES)],
    sandbox: oneOf('--sandbox', sandbox, ['auto', 'docker', 'process'] as const),
    help,
  };
}

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new WrongUse(`${name} is ${known.join(' or ')}, not ${value}`);
  return found;
}

/** Docker when it can be used; else processes, and a line that says why. */
async function chooseSandbox(wanted: 'auto' | JourneySandbox): Promise<JourneySandbox> {
  if (wanted === 'process') return wanted;
  const docker = await dockerPart();
  const problem = docker.available
    ? await dockerCommandProblem(defaultSandboxImage)
    : docker.reason;
  if (problem === null) return 'docker';
  if (wanted === 'docker') throw new Error(problem);
  say(`NO CONTAINERS, agents run as plain processes: ${problem}`);
  return 'process';
}

/** What an hour of polling alone costs at Linear, by its published rule. */
async function measureHour() {
  const hour = await pollForAnHour(ISSUES_IN_LINEAR);
  const { points, requests, refused, missed } = hour;
  const isGood = points <= MAX_POINTS_AN_HOUR && refused === 0 && missed === 0;
  say(
    `linear, ${ISSUES_IN_LINEAR} issues polled every 15 s for an hour: ${points} points of at most ` +
      `${MAX_POINTS_AN_HOUR}, ${requests} requests, ${refused} refused, ${missed} changes missed`,
  );
  return { isGood, ...hour };
}

/** What GitHub does to people: refusals, what is out of sight, what moves. */
async function goThroughTrouble() {
  say('github, a fine-grained token without checks:');
  try {
    return { isGood: true, ...(await runGitHubTrouble((line) => say(`  ${line}`))) };
  } catch (error) {
    const message = messageOf(error);
    say(`  FAILED: ${message}`);
    return { isGood: false, error: message.split('\n')[0] ?? '' };
  }
}

async function main(): Promise<boolean> {
  const { trackers, notices, sandbox: wanted, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const sandbox = await chooseSandbox(wanted);
  const journeys: (JourneyResult | { tracker: string; notice: string; error: string })[] = [];
  let isGood = true;
  for (const tracker of trackers) {
    for (const notice of notices) {
      say(`${tracker}, ${notice}, ${sandbox}:`);
      try {
        const told = await runJourney({ tracker, notice, sandbox }, (line) => say(`  ${line}`));
        journeys.push(told);
        isGood &&= told.leaks.length === 0 && told.blindSearches.length === 0;
      } catch (error) {
        const message = messageOf(error);
        say(`  FAILED: ${message}`);
        journeys.push({ tracker, notice, error: message.split('\n')[0] ?? '' });
        isGood = false;
      }
    }
  }
  const githubTrouble = trackers.includes('github') ? await goThroughTrouble() : undefined;
  isGood &&= githubTrouble === undefined || githubTrouble.isGood;
  const linearHour = trackers.includes('linear') ? await measureHour() : undefined;
  isGood &&= linearHour === undefined || linearHour.isGood;
  process.stdout.write(`${JSON.stringify({ ok: isGood, journeys, githubTrouble, linearHour })}\n`);
  return isGood;
}

endWhenInterrupted();
await runCommand('test:e2e', main);
