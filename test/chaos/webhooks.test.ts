import { expect, it } from 'vitest';
import { runWebhookKills } from '../support/webhooks/run-webhook-kills.ts';

const LIMIT_MS = 300_000;

it(
  'deliveries are processed exactly once, although the control plane is killed among them',
  async () => {
    const { result } = await runWebhookKills({
      deliveries: 90,
      kills: 3,
      seed: 7,
      keepFolder: false,
      say: () => undefined,
    });
    expect(result).toMatchObject({
      deliveries: 90,
      acknowledged: 90,
      kills: 3,
      lost: 0,
      unprocessed: 0,
      processedTwice: 0,
      dead: 0,
    });
  },
  LIMIT_MS,
);
