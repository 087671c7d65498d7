import { expect, it } from 'vitest';
import { reasonsPage } from '../support/reasons-page.ts';

it('docs/reasons.md is what the catalogue says; `npm test -- FILE -u` writes it anew', async () => {
  await expect(reasonsPage()).toMatchFileSnapshot('../../docs/reasons.md');
});
