import { it } from 'vitest';
import type { Stage } from '../../support/browser/stage.ts';

/** What was done before has left its entries. */
export function auditScenario(stage: Stage): void {
  it('shows who changed what, and that the chain holds', async () => {
    const { page, hands } = stage;
    await hands.goTo('Audit');
    await stage.row('workspace.remove').waitFor();
    await hands.activate(stage.button('Verify chain'));
    await page.getByText(/\d+ entries verified/).waitFor();
    await stage.inspect();
  });
}
