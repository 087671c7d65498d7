import type { AttemptEventItem } from '@switchyard/shared/protocol/attempt-event';

/** About what a command's output or an agent's message comes to. */
const TEXT_CHARACTERS = 160;
const WORDS =
  'tests/checkout.test.ts passed in 41 ms; 3 files changed, 27 insertions, 4 deletions; ';

/** `count` events that follow event `after` of an attempt, as an engine at work reports them. */
export function eventItems(after: number, count: number): AttemptEventItem[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = after + 1 + index;
    const text = `${seq} ${WORDS.repeat(2)}`.slice(0, TEXT_CHARACTERS);
    return { seq, atMs: Date.now(), ...whatHappened(seq, text) };
  });
}

function whatHappened(seq: number, text: string): Pick<AttemptEventItem, 'kind' | 'payload'> {
  if (seq % 4 === 0) return { kind: 'log', payload: { source: 'engine', text } };
  const state = seq % 2 === 0 ? 'ended' : 'started';
  const item = {
    type: 'command_execution',
    command: 'npm test',
    status: 'completed',
    output: text,
  };
  return { kind: 'item', payload: { state, itemId: `item-${Math.ceil(seq / 2)}`, item } };
}
