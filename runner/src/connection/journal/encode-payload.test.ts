import { MAX_EVENT_PAYLOAD_BYTES } from '@switchyard/shared/protocol/limits';
import { expect, it } from 'vitest';
import { encodePayload } from './encode-payload.ts';

it.each([
  ['half a pair in a text and in a name', { text: 'a\ud83d', ['\ude00']: ['\ud83d\ud83d'] }],
  ['names that become one', { ['\ud83d']: 1, ['\ud83e']: 2 }],
  ['emoji that are cut', { text: '😀'.repeat(MAX_EVENT_PAYLOAD_BYTES) }],
  ['emoji that are cut one unit later', { text: `x${'😀'.repeat(MAX_EVENT_PAYLOAD_BYTES)}` }],
  ['families that are cut', { text: '👨‍👩‍👧‍👦'.repeat(MAX_EVENT_PAYLOAD_BYTES / 8) }],
])('a payload is whole text for every reader: %s', (_name, payload) => {
  const json = encodePayload(payload);
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_EVENT_PAYLOAD_BYTES);
  // The same on both halves, which hash it.
  expect(JSON.stringify(JSON.parse(json))).toBe(json);
  expect(json).not.toMatch(/\\ud/);
});
