import { expect, it } from 'vitest';
import type { ReadyScript } from '../../../control-plane/scripted-provider/ready-scripts.ts';
import type { Stage } from '../../support/browser/stage.ts';
import { failUsageLimit } from '../../support/scripted-model/faults.ts';

const TEST_TIMEOUT_MS = 120_000;
const RESET_MS = 3_600_000;
const SPARE_MODEL = 'spare-model';

/** The first account is out of quota, and what the other one is asked for is done. */
export const outOfQuota =
  (work: ReadyScript): ReadyScript =>
  (request) =>
    request.model === SPARE_MODEL ? work(request) : failUsageLimit(Date.now() + RESET_MS);

/** An account gives out and another one goes on. The first one is paused from then on. */
export function failoverScenario(stage: Stage): void {
  it(
    'shows which engine and account went on, and what each of them cost',
    async () => {
      const { page, hands, client } = stage;
      await setUpChain(stage);
      const { identifier } = await client.createIssue({ title: 'case:quota' });
      const { status, attempts } = await client.settled(identifier, TEST_TIMEOUT_MS);
      expect([status, attempts.length]).toEqual(['completed', 2]);
      await stage.load(`/issues/${identifier}`);
      const second = page.locator('.attempts > li').filter({ hasText: '#2' });
      await second.getByText(/codex \d+\.\d+\S*, account spare · continues #1/).waitFor();
      const panel = stage.region('Attempt 2');
      await panel.getByText(/^Continues attempt 1 \(codex/).waitFor();
      // The log shows its end; the failover is its first line.
      await hands.type(page.getByRole('searchbox', { name: 'Find in log' }), 'Failover');
      await page.keyboard.press('Enter');
      const told = page.locator('.log-slot.current');
      await told.getByText(`codex / ${SPARE_MODEL} (account spare)`).waitFor();
      await stage.inspect();
      await hands.activate(page.getByRole('link', { name: 'Timeline' }));
      await stage.region('Timeline').getByText('continues attempt 1').waitFor();
      await hands.goTo('Live feed');
      const feed = page.getByRole('list', { name: 'Events, newest first' });
      await feed.getByText('failed over').first().waitFor();
      await hands.goTo('Costs');
      const costs = stage.region(/^Costs by engine/);
      const row = costs.getByRole('row').filter({ hasText: SPARE_MODEL });
      await row.getByText('$').waitFor();
      await row.getByRole('cell', { name: 'spare', exact: true }).waitFor();
      await stage.inspect();
      await hands.goTo('Engine');
      await stage.region('codex').getByText('spare (spare-model, account spare)').waitFor();
    },
    2 * TEST_TIMEOUT_MS,
  );
}

/** A second account of the same provider, after the first one. */
async function setUpChain({ client, open }: Stage): Promise<void> {
  const { provider, apiKey } = open.bench;
  await client.must('POST', '/secrets/SPARE_KEY', { value: apiKey });
  const own = {
    name: 'spare',
    baseUrl: provider.url,
    wireApi: 'responses',
    apiKey: '$SECRET:SPARE_KEY',
  };
  const spare = { name: 'spare', engine: 'codex', model: SPARE_MODEL, account: 'spare' };
  const settings = {
    prices: { [SPARE_MODEL]: { input: 1_000, output: 1_000 } },
    'engine.accounts': [{ name: 'spare', provider: own }],
    'engine.choices': [spare],
    'engine.failover': ['default', 'spare'],
  };
  for (const [path, value] of Object.entries(settings)) {
    await client.must('PATCH', `/config/overlay/${encodeURIComponent(path)}`, { value });
  }
}
