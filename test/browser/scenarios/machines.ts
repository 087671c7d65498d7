import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import { createRunnerIdentity } from '../../support/core/runner-identity.ts';

/** Runners and workspaces. */
export function machineScenarios(stage: Stage): void {
  it('drains a runner and takes it back, and hears of a new one', async () => {
    const { page, hands } = stage;
    await hands.goTo('Runners');
    await page.getByText('None: agents run as plain processes').waitFor();
    await stage.inspect();
    await hands.activate(stage.button(/^Drain/));
    await hands.activate(stage.button('Drain runner'));
    await page.getByText('Draining').first().waitFor();
    await hands.activate(stage.button(/^Return to service/));
    await page.getByText('Connected').first().waitFor();
    await hands.activate(stage.button('Add a runner'));
    const add = stage.dialog('Add a runner');
    const command = await add.getByText(/switchyard runner join/).textContent();
    await stage.inspect();
    const [, url = '', token = ''] = /join (\S+) --token (\S+)/.exec(command ?? '') ?? [];
    const identity = await createRunnerIdentity('second');
    const joined = await fetch(`${url}/api/v1/runners/join`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(identity.joinRequest()),
    });
    expect(joined.status).toBeLessThan(300);
    await add.getByText('second has joined.').waitFor();
    await stage.settle(add, 'Done');
    await hands.activate(stage.button('Revoke second'));
    await hands.activate(stage.button('Revoke runner'));
    await stage.region('second').getByText('Revoked').waitFor();
  });

  it('has a missing sandbox image built, shows how far it is, and tries again after a failure', async () => {
    const { page, hands } = stage;
    const missing = {
      state: 'missing',
      image: 'switchyard-sandbox:1',
      source: 'build',
      baseImage: 'debian:bookworm-slim',
      step: null,
      percent: null,
      problem: null,
    };
    const building = {
      ...missing,
      state: 'providing',
      step: 'build step 9 of 18: RUN',
      percent: 44,
    };
    const failed = { ...missing, state: 'failed', problem: 'No space is left. Free some' };
    // Of the runner; its image is there or not as the test wants it.
    let told: object = missing;
    const asked: unknown[] = [];
    await page.route('**/api/v1/runners/*/sandbox-image', (route) => {
      if (route.request().method() === 'POST') {
        asked.push(route.request().postDataJSON());
        told = building;
      }
      return route.fulfill({ status: 200, json: told });
    });
    await stage.load('/runners');
    await hands.activate(page.locator('summary').filter({ hasText: 'Base image' }));
    const base = page.getByLabel('Debian image to build on, instead of debian:bookworm-slim');
    await hands.type(base, 'team/debian:12');
    await stage.inspect();
    await hands.activate(stage.button(/^Build image/));
    await expect.poll(() => asked).toEqual([{ baseImage: 'team/debian:12' }]);
    await page.getByText('Building the sandbox image: build step 9 of 18: RUN (44 %)').waitFor();
    await stage.inspect();
    told = failed;
    await page.getByRole('alert').getByText('No space is left. Free some').waitFor();
    await stage.inspect();
    await hands.activate(stage.button(/^Try again/));
    await page.getByText('(44 %)').waitFor();
    told = { ...missing, state: 'ready' };
    await page.getByText('(44 %)').waitFor({ state: 'detached' });
    await page.unroute('**/api/v1/runners/*/sandbox-image');
  });

  it('frees the disk of a workspace that nobody uses', async () => {
    const { hands } = stage;
    await hands.goTo('Workspaces');
    await stage.row('SY-1').getByText('Idle').waitFor();
    await stage.inspect();
    await hands.activate(stage.button('Remove SY-1'));
    await stage.settle(stage.dialog('Remove the workspace of SY-1?'), 'Remove workspace');
    await stage.said('freed');
    await stage.row('SY-1').waitFor({ state: 'detached' });
  });

  it('says why there is nothing to see, and tries again', async () => {
    const { page, hands } = stage;
    const list = '**/api/v1/workspaces*';
    const refusal = { status: 503, json: { error: 'closed for now', status: 503 } };
    await page.route(list, (route) => route.fulfill(refusal));
    await stage.load('/workspaces');
    await page.getByRole('alert').getByText('closed for now').waitFor();
    await page.unroute(list);
    await hands.activate(stage.button('Try again'));
    await stage.row('SY-2').waitFor();
  });
}
