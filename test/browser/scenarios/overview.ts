import { it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

const RUN_TIMEOUT_MS = 90_000;

/** What needs a person, what runs and what is done. */
export function overviewScenarios(stage: Stage): void {
  it('says what runs, what is done and how all fares', async () => {
    const { page, hands } = stage;
    await hands.goTo('Overview');
    const running = stage.region(/^Running/);
    await running.getByText('case:listen').waitFor();
    await running.getByText('working').waitFor();
    await stage.region('Recently finished').getByText('Durations come out wrong').waitFor();
    await stage
      .region(/^Needs you/)
      .getByText('Durations come out wrong')
      .waitFor();
    await stage
      .region(/^Health/)
      .getByText('1 of 1 connected')
      .waitFor();
    await page.getByText('1 attempt done, 0 not done in 14 days').first().waitFor();
    await page.locator('.day-chart canvas').nth(1).waitFor();
    await stage.inspect();
  });

  it('brings to the front what needs a person, and leads there', async () => {
    const { page, hands, client } = stage;
    const { identifier } = await client.createIssue({ title: 'case:question' });
    const needs = stage.region(/^Needs you/);
    const question = 'Which colour should the button have?';
    await needs.getByText(question).waitFor({ timeout: RUN_TIMEOUT_MS });
    await hands.activate(needs.getByRole('link', { name: 'Answer' }));
    await stage.region(`Question on ${identifier}`).getByText(question).waitFor();
    await client.must('POST', `/${identifier}/abort`);
    await page.getByText('No open questions').waitFor();
  });
}
