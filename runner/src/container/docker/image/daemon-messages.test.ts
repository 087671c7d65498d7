import { describe, expect, it } from 'vitest';
import type { DaemonMessage } from './daemon-messages.ts';
import { daemonMessages } from './daemon-messages.ts';
import { shortLine, stepPercent, stepText } from './image-step.ts';

async function read(chunks: string[]): Promise<DaemonMessage[]> {
  async function* answer() {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
  }
  const messages: DaemonMessage[] = [];
  for await (const message of daemonMessages(answer())) messages.push(message);
  return messages;
}

describe('messages of the daemon', () => {
  it('are whole lines, however they are cut on their way', async () => {
    const messages = await read(['{"stream":"Step 1/2 ', ': FROM é"}\r\n{"error":"no"}', '\n']);
    expect(messages).toEqual([{ stream: 'Step 1/2 : FROM é' }, { error: 'no' }]);
  });

  it('leave out what is no message, or too long to be one that is needed', async () => {
    const long = `{"stream":"${'x'.repeat(200_000)}"}`;
    const chunks = ['nonsense\n', ...(long.match(/.{1,1000}/g) ?? []), '\n{"status":"on"}\n'];
    expect(await read(chunks)).toEqual([{ status: 'on' }]);
  });
});

describe('a step for people', () => {
  it('says how far it is, where that is known', () => {
    const step = { kind: 'build', number: 10, total: 18, text: 'FROM base' } as const;
    expect(stepText(step)).toBe('build step 10 of 18: FROM base');
    expect(stepPercent(step)).toBe(50);
    expect(stepPercent({ kind: 'context' })).toBeNull();
  });

  it('shows no colours and no endless lines', () => {
    expect(shortLine('\u001b[31mred\u001b[0m ')).toBe('red');
    expect(shortLine('x'.repeat(1_000))).toHaveLength(300);
  });
});
