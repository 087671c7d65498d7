import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedProvider } from '../../control-plane/scripted-provider/scripted-provider.ts';
import type { ScriptedProvider } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { countClicks } from '../support/browser/count-clicks.ts';
import { type OpenDashboard, openDashboard } from '../support/browser/open-dashboard.ts';
import { takePicture } from '../support/browser/take-picture.ts';

const START_TIMEOUT_MS = 240_000;
const RUN_TIMEOUT_MS = 120_000;
const WALK_TIMEOUT_MS = 300_000;
const WAIT_MS = 45_000;
const KEY = 'sk-first-clicks';
const MAX_CLICKS = 5;
const MIN_CLICKS = 4;

// With a key in hand: the address of the provider is as it came, and only its key is missing.
describe.each(['a ready issue', 'own words'])('from the overview to a pull request, %s', (kind) => {
  let open: OpenDashboard;
  let provider: ScriptedProvider;
  beforeAll(async () => {
    const script = fixFailingTest();
    provider = await startScriptedProvider({ script, apiKey: KEY });
    const config = {
      'engine.model': 'scripted-model',
      'engine.provider.name': 'scripted',
      'engine.provider.baseUrl': provider.url,
    };
    open = await openDashboard({ script, bare: true, config });
    open.page.setDefaultTimeout(WAIT_MS);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await open?.close();
    await provider?.close();
  });

  it(
    'takes five clicks at most',
    async () => {
      const { page, bench } = open;
      const clicks = await countClicks(page);
      await page.goto('/');
      const missing = page.getByRole('region', { name: /No issue can start yet/ });
      await missing.getByRole('link', { name: 'Add a repository' }).first().click();
      // Whoever arrives can type: no click leads into the field.
      await page.locator('input[name=url]:focus').waitFor();
      await page.keyboard.type(bench.repository.path);
      await takePicture(page, `first-clicks-${kind.replaceAll(' ', '-')}-1`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Model provider' }).waitFor();
      await page.locator('input[type=password]:focus').waitFor();
      await page.keyboard.type(KEY);
      await takePicture(page, `first-clicks-${kind.replaceAll(' ', '-')}-2`);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'First issue' }).waitFor();
      await takePicture(page, `first-clicks-${kind.replaceAll(' ', '-')}-3`);
      if (kind === 'own words') {
        await page.getByRole('radio', { name: /My own words/ }).click();
        await page.locator('input[name=title]:focus').waitFor();
        await page.keyboard.type('Mend the failing test');
        await page.keyboard.press('Enter');
      } else await page.getByRole('button', { name: 'Create the test issue' }).click();
      await page.getByText('The setup works end to end.').waitFor({ timeout: RUN_TIMEOUT_MS });
      const made = await clicks();
      // A page that was loaded anew would have begun to count anew.
      expect(made).toBeGreaterThanOrEqual(MIN_CLICKS);
      expect(made).toBeLessThanOrEqual(MAX_CLICKS);
      await takePicture(page, `first-clicks-${kind.replaceAll(' ', '-')}-4`);
      await page.locator('.wizard-step').getByRole('link', { name: 'PR', exact: true }).waitFor();
      expect(await bench.client.pullRequestOf('SY-1')).toMatchObject({ status: 'open' });
      expect((await bench.client.issue('SY-1')).title).toMatch(
        kind === 'own words' ? /^Mend the failing test$/ : /README/,
      );
    },
    WALK_TIMEOUT_MS,
  );
});
