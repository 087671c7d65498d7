import { describe, expect, it } from 'vitest';
import { addPieces, noLiveText, readPiece, withoutEnded } from './live-text.ts';

const piece = (itemId: string, text: string) => ({ itemId, stream: 'message', text });
const event = (kind: string, payload: object) => ({
  seq: 1,
  type: 'attempt.event',
  at: '2026-11-20T10:00:00.000Z',
  data: { kind, payload },
});

describe('what an agent is writing', () => {
  it('grows piece by piece and leaves when the log has it', () => {
    const written = addPieces(noLiveText, [piece('a', 'Hel'), piece('b', 'x'), piece('a', 'lo')]);
    expect(written.items.get('a')?.text).toBe('Hello');
    const ended = withoutEnded(written, event('item', { itemId: 'a', state: 'ended' }));
    expect([...ended.items.keys()]).toEqual(['b']);
    expect([...addPieces(ended, [piece('a', '!')]).items.keys()]).toEqual(['b']);
  });

  it('ends with its turn and with its attempt', () => {
    const written = addPieces(noLiveText, [piece('a', 'Hello')]);
    expect(withoutEnded(written, event('turn', { state: 'ended' })).items.size).toBe(0);
    const over = { ...event('', {}), type: 'attempt.ended' };
    expect(withoutEnded(written, over).items.size).toBe(0);
    expect(withoutEnded(written, event('item', { itemId: 'a', state: 'started' }))).toBe(written);
  });

  it('is the same for an item that was not shown, so that nothing is drawn for its end', () => {
    const written = addPieces(noLiveText, [piece('a', 'Hello')]);
    const ended = withoutEnded(written, event('item', { itemId: 'b', state: 'ended' }));
    expect(ended.items).toBe(written.items);
    expect([...addPieces(ended, [piece('b', 'late')]).items.keys()]).toEqual(['a']);
  });

  it('keeps the end of what is long', () => {
    const { items } = addPieces(noLiveText, [piece('a', 'x'.repeat(9_000)), piece('a', 'end')]);
    expect(items.get('a')?.text).toHaveLength(4_000);
    expect(items.get('a')?.text.endsWith('end')).toBe(true);
  });

  it('takes nothing but pieces', () => {
    expect(readPiece(JSON.stringify(piece('a', 'x')))).toEqual(piece('a', 'x'));
    expect(['', '7', 'null', '{"itemId":1}'].map(readPiece)).toEqual([null, null, null, null]);
  });
});
