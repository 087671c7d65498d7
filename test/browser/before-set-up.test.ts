import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { expectAccessible } from '../support/browser/expect-accessible.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';

const START_TIMEOUT_MS = 180_000;
const WAIT_MS = 45_000;

describe('the overview of a service that is not set up', () => {
  let open: OpenDashboard;
  beforeAll(async () => {
    open = await openDashboard({ script: fixFailingTest(), bare: true });
    open.page.setDefaultTimeout(WAIT_MS);
  }, START_TIMEOUT_MS);
  afterAll(() => open?.close());

  it('says that no issue can start, and leads to the first step that is missing', async () => {
    const { page } = open;
    await page.goto('/');
    const panel = page.getByRole('region', { name: 'No issue can start yet' });
    await panel.getByText('No repository yet').waitFor();
    await page.getByText('Setup incomplete').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).not.toMatch(/All well|Healthy|Nothing waits|all caught up/);
    await expectAccessible(page);
    await panel.getByRole('link', { name: 'Add a repository' }).first().click();
    await page.getByRole('heading', { name: 'Repository' }).waitFor();
  });

  it('has an issue that cannot start under what needs a person, with a button', async () => {
    const { page, bench } = open;
    const { identifier } = await bench.client.createIssue({ title: 'Reject empty names' });
    await page.goto('/');
    const needs = page.getByRole('region', { name: /^Needs you/ });
    await needs.getByText('Reject empty names').waitFor();
    await needs
      .getByText('Enter the key of your model provider.')
      .or(needs.getByText('Say which repository issues like this one belong to.'))
      .waitFor();
    expect(await needs.innerText()).not.toMatch(/\/api\/|POST/);
    await expectAccessible(page);
    await needs.getByRole('link', { name: /Connect a model provider|Add a repository/ }).click();
    await page.waitForURL(/\/setup\?step=(?:provider|repository)/);
    await page.goto(`/issues/${identifier}`);
    await page.getByRole('region', { name: 'What to do' }).getByRole('link').waitFor();
    await expectAccessible(page);
  });
});
