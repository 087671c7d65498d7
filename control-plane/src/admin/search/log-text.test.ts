import { expect, it } from 'vitest';
import { logText } from './log-text.ts';

it('finds what an agent says without its status line', () => {
  const said = (text: string) =>
    logText(1, {
      type: 'attempt.event',
      atMs: 0,
      data: { epoch: 1, kind: 'item', payload: { itemId: 'i', item: { type: 'message', text } } },
    });
  expect(said('All done.\n\nSWITCHYARD_STATUS: DONE')?.text).toBe('All done.');
  expect(said('SWITCHYARD_STATUS: DONE')).toBeNull();
});
