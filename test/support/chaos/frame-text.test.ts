import { expect, it } from 'vitest';
import { syncFrame } from './frame-text.ts';

it('reads the messages of a request without a socket as a frame', () => {
  expect(syncFrame('{"session":3,"messages":[{"type":"renew"}]}')).toBe('[{"type":"renew"}]');
});

it.each(['', '{"messages":[', '{"error":"standby"}', '[]', 'null'])(
  'reads nothing in %j',
  (body) => {
    expect(syncFrame(body)).toBe('');
  },
);
