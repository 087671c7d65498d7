import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runWebhookKills, type WebhookKills } from '../support/webhooks/run-webhook-kills.ts';

// `npm run test:webhooks`: kill -9 in the middle of a burst of deliveries, judged by the rows.
const EXIT_INTERRUPTED = 130;
const HELP = `Sends a burst of signed deliveries of tracker and code host at a real control plane and kills
it (kill -9) right after acknowledged deliveries. After each restart it goes on; in the end every
acknowledged delivery must have been processed exactly once.

  npm run test:webhooks [-- --deliveries N] [-- --kills K] [-- --seed S]

  --deliveries N  size of the burst (default 600)
  --kills K       how often it is killed, spread over the burst (default 40)
  --seed S        whole number; the same moments in the same order (default: any)
  --json          nothing but the result, no progress
  --keep          keep the folder with log and data; it is kept anyway when something is wrong
  --help          this text

The last line is JSON: {deliveries, acknowledged, kills, lost, unprocessed, processedTwice, dead,
seed, durationMs}. The exit code is 1 unless every count of something wrong is 0; 2 for wrong use.
`;

const say = (line: string) => void process.stderr.write(`${line}\n`);

class WrongUse extends Error {}

function options(): WebhookKills & { help: boolean } {
  const { values } = parseArgs({
    options: {
      deliveries: { type: 'string', default: '600' },
      kills: { type: 'string', default: '40' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const deliveries = wholeNumber('--deliveries', values.deliveries, 1_000_000);
  const kills = wholeNumber('--kills', values.kills, 10_000);
  if (kills >= deliveries) throw new WrongUse('--kills must be less than --deliveries');
  return {
    deliveries,
    kills,
    seed:
      values.seed === undefined
        ? randomInt(1, 2 ** 31)
        : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    keepFolder: values.keep,
    say: (line) => {
      if (!values.json) say(line);
    },
    help: values.help,
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
  const { result, folder } = await runWebhookKills(run);
  const { lost, unprocessed, processedTwice, dead } = result;
  const isGood = lost + unprocessed + processedTwice + dead === 0;
  if (!isGood || run.keepFolder) say(`log and data: ${folder}`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  process.exitCode = isGood ? 0 : 1;
}

/** parseArgs names its own errors by code. */
function isWrongUse(error: unknown): boolean {
  if (error instanceof WrongUse) return true;
  return (
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(EXIT_INTERRUPTED));
}
try {
  await main();
} catch (error) {
  say(`test:webhooks: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = isWrongUse(error) ? 2 : 1;
}
