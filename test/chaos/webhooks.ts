import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { endWhenInterrupted, runCommand, say } from '../support/command/run-command.ts';
import { wholeNumber } from '../support/command/whole-number.ts';
import { WrongUse } from '../support/command/wrong-use.ts';
import { runWebhookKills, type WebhookKills } from '../support/webhooks/run-webhook-kills.ts';

// `npm run test:webhooks`: kill -9 in the middle of a burst of deliveries, judged by the rows.
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

async function main(): Promise<boolean> {
  const { help, ...run } = options();
  if (help) {
    process.stdout.write(HELP);
    return true;
  }
  const { result, folder } = await runWebhookKills(run);
  const { lost, unprocessed, processedTwice, dead } = result;
  const isGood = lost + unprocessed + processedTwice + dead === 0;
  if (!isGood || run.keepFolder) say(`log and data: ${folder}`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return isGood;
}

endWhenInterrupted();
await runCommand('test:webhooks', main);
