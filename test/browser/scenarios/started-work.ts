import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** Automations and webhooks: what starts work by itself. `endNight` lets the automation's agent go on. */
export function startedWorkScenarios(stage: Stage, endNight: () => void): void {
  it('runs an automation by hand, and shows the run', async () => {
    const { page, hands } = stage;
    await hands.goTo('Automations');
    await stage.row('nightly').getByText('0 3 * * *').waitFor();
    await hands.activate(stage.button('Run now: nightly'));
    await stage.said('nightly started');
    const runs = stage.region('Runs');
    await runs.getByText('SY-1').waitFor();
    await hands.choose(runs.getByRole('combobox', { name: 'Filter by automation' }), 'nightly');
    await runs.getByText('SY-1').waitFor();
    await stage.inspect();
    await hands.activate(page.getByRole('link', { name: 'Edit' }));
    await page.getByRole('heading', { name: 'automations', level: 2 }).waitFor();
  });

  it('shows a dead letter with its body, and processes it once more', async () => {
    const { page, hands, client } = stage;
    await hands.goTo('Webhooks');
    await page.getByText('No dead letters.').waitFor();
    const answer = await client.send('/api/v1/webhooks/trigger', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Trigger-Key': 'trigger-key' },
      body: JSON.stringify({ action: 'run_automation', automation_name: 'nightly' }),
    });
    expect(answer.status).toBe(202);
    await stage.row('run_automation').getByText('automation nightly is running').waitFor();
    await stage.region('Triggers').getByText('Dead letters').waitFor();
    await stage.inspect();
    await hands.activate(stage.button(/^Show run_automation/));
    await page.getByLabel('Body').getByText('"automation_name": "nightly"').waitFor();
    await stage.inspect();
    await hands.dismiss(stage.dialog('Delivery'));
    endNight();
    expect(await client.settled('SY-1')).toMatchObject({ status: 'completed' });
    await hands.activate(stage.button(/^Replay run_automation/));
    await stage.said('queued for replay');
    await page.getByText('No dead letters.').waitFor();
  });
}
