import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixFailingTest } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import { say } from '../../../control-plane/scripted-provider/step.ts';
import { asksQuestion, byPrompt } from '../../support/scripted-model/scripts.ts';
import type { MakeHands } from '../../support/browser/hands.ts';
import { Stage } from '../../support/browser/stage.ts';
import { type FakeReceiver, startFakeReceiver } from '../../support/receivers/fake-receiver.ts';
import { auditScenario } from './audit.ts';
import { engineScenario } from './engine.ts';
import { failoverScenario, outOfQuota } from './failover.ts';
import { machineScenarios } from './machines.ts';
import { peopleScenarios } from './people.ts';
import { ruleScenarios } from './rules.ts';
import { settingsScenarios } from './settings.ts';
import { startedWorkScenarios } from './started-work.ts';

const START_TIMEOUT_MS = 180_000;

const AUTOMATIONS = [
  { name: 'nightly', schedule: '0 3 * * *', mode: 'implement', prompt: 'case:nightly' },
];
const CHOICES = [{ name: 'second/big', engine: 'second', model: 'big-1' }];
const RULES = [
  {
    name: 'attempts fail',
    condition: { event: 'attempt.ended', outcome: 'failed' },
    threshold: 3,
    windowMs: 600_000,
  },
];

/** Every view of operation with one pair of hands. One service and one page: the order matters. */
export function walkOperation(makeHands: MakeHands): void {
  const stage = new Stage(makeHands);
  let chat: FakeReceiver;
  /** The automation's agent does nothing before that. */
  const nightMayEnd = Promise.withResolvers<void>();
  beforeAll(async () => {
    chat = await startFakeReceiver();
    const channels = [{ type: 'chat', name: 'ops', webhookUrl: chat.url, verbosity: 'critical' }];
    const work = fixFailingTest();
    await stage.begin({
      script: byPrompt(
        [
          { match: 'case:question', script: asksQuestion },
          { match: 'case:quota', script: outOfQuota(work) },
          { match: 'single word ready', script: () => say('ready') },
          {
            match: 'case:nightly',
            script: async (request) => {
              await nightMayEnd.promise;
              return work(request);
            },
          },
        ],
        work,
      ),
      config: {
        'engine.choices': JSON.stringify(CHOICES),
        automations: JSON.stringify(AUTOMATIONS),
        'alerts.rules': JSON.stringify(RULES),
        'notifications.channels': JSON.stringify(channels),
        'triggers.apiKey': 'trigger-key',
      },
      // Some of what is tried is refused, for good reason.
      mayRefuse: true,
    });
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    nightMayEnd.resolve();
    await stage.end();
    await chat?.close();
  });

  startedWorkScenarios(stage, nightMayEnd.resolve);
  peopleScenarios(stage, () => chat.received.length);
  ruleScenarios(stage);
  settingsScenarios(stage);
  machineScenarios(stage);
  auditScenario(stage);
  engineScenario(stage);
  failoverScenario(stage);

  it('left nothing in the console', () => {
    expect(stage.open.problems).toEqual([]);
  });
}
