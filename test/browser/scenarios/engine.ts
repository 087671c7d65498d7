import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** A start of the engine beside everything else that runs. */
const TEST_TIMEOUT_MS = 60_000;

/** The engine keeps the threads of the attempts before. */
export function engineScenario(stage: Stage): void {
  it('runs a test turn, and asks the engine for its account, threads and features', async () => {
    const { page, hands } = stage;
    const tab = (name: string) => page.getByRole('tab', { name });
    await hands.goTo('Engine');
    const card = stage.region('codex');
    await card.getByText('Available').waitFor();
    const abilities = card.getByRole('list', { name: 'What codex can do' });
    await abilities.getByRole('listitem').first().waitFor();
    await hands.activate(card.getByRole('button', { name: 'Run a test turn' }));
    await card.getByText('Answered “ready”').waitFor({ timeout: TEST_TIMEOUT_MS });
    await card.getByText(/version .* · model scripted-model · started in .* tokens/).waitFor();
    await stage.inspect();
    const absent = stage.region('second');
    await absent.getByText(/No connected runner has the agent engine second/).waitFor();
    expect(await absent.getByRole('button', { name: 'Run a test turn' }).count()).toBe(0);
    await hands.pick(tab('Account and limits'));
    await page.getByText('Uses an API key').waitFor();
    await stage.inspect();
    await hands.pick(tab('Threads'));
    const thread = stage.row('You work on issue SY-1');
    await thread.waitFor();
    await hands.activate(stage.button(/^Read You work on issue SY-1/));
    await page.getByLabel('History').getByText('Agent').first().waitFor();
    await hands.dismiss(page.getByRole('dialog'));
    await stage.inspect();
    await hands.activate(stage.button(/^Archive You work on issue SY-1/));
    await stage.settle(stage.dialog('Archive this thread?'), 'Archive thread');
    await thread.waitFor({ state: 'detached' });
    await hands.pick(page.getByRole('checkbox', { name: 'Show archived' }));
    await thread.waitFor();
    await hands.pick(tab('MCP servers'));
    await page.getByText('No MCP servers').waitFor();
    await hands.pick(tab('Features'));
    await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
    await hands.type(page.getByLabel('Find a feature'), 'unified_exec');
    await page.getByText('unified_exec', { exact: true }).waitFor();
    await stage.inspect();
  });
}
