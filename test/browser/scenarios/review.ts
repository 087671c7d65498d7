import { expect, it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';
import type { Issues } from './work.ts';

/** What an agent changed, what a person says of it, and what the next attempt makes of that. */
export function reviewScenarios(stage: Stage, issues: () => Issues): void {
  it('sends comments on lines as one message, and an attempt begins with them', async () => {
    const { page, hands } = stage;
    await hands.openIssue(issues().fixed);
    await hands.activate(page.getByRole('link', { name: 'Changes' }));
    const changes = stage.region('Changes');
    const files = page.getByRole('navigation', { name: 'Changed files' });
    await hands.activate(files.getByRole('button', { name: /format-duration\.js/ }));
    await hands.activate(changes.getByRole('button', { name: /^Comment line 11 of/ }).first());
    const field = page.getByRole('textbox', { name: 'Comment on this line' });
    await hands.type(field, 'Is floor right?');
    await hands.activate(stage.button('Add comment'));
    await changes.getByText('Is floor right?').waitFor();
    await stage.inspect();
    await hands.activate(stage.button('Send and retry'));
    await stage.said('Comment sent; retrying.');
    const comment = page.locator('.comments').getByText(/format-duration\.js:11|removed line 11/);
    await comment.first().waitFor();
  });

  it('compares two attempts', async () => {
    const { page, hands, client } = stage;
    const { fixed } = issues();
    await client.issueUntil(fixed, (issue) => issue.attempts.length > 1, 'gets a second attempt');
    const { attempts } = await client.settled(fixed);
    // It went on with the thread of the first one, and used tokens itself.
    expect(attempts[0]?.threadId).toBe(attempts[1]?.threadId);
    const second = page.locator('.attempts > li').filter({ hasText: '#2' });
    await second.getByText(/^\d\S* tok$/).waitFor();
    await hands.activate(page.getByRole('link', { name: 'Timeline' }));
    await hands.activate(page.getByRole('link', { name: 'Compare attempts' }));
    await stage.region('Differences').getByText('Tokens', { exact: true }).waitFor();
    await stage.region('Steps of attempt 1').getByText('$ ').first().waitFor();
    await stage.inspect();
    const left = page.getByRole('combobox', { name: 'Left attempt' });
    const option = `Attempt 2, ${attempts[0]?.outcome}`;
    // The service knows it a moment before the page does.
    await left.locator('option').filter({ hasText: option }).waitFor({ state: 'attached' });
    await hands.choose(left, option);
    await expect.poll(() => page.url()).toContain('left=');
    await stage.region('Steps of attempt 2').first().waitFor();
    await hands.activate(page.getByRole('link', { name: `Back to ${fixed}` }));
    await page.getByRole('link', { name: 'Timeline' }).waitFor();
  });
}
