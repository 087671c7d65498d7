import { expect, it } from 'vitest';
import { threadMessages } from './thread-messages.ts';

it('reads the words and commands of a thread and passes over the rest', () => {
  const turns = [
    {
      items: [
        { type: 'userMessage', content: [{ type: 'text', text: 'Do it.' }] },
        { type: 'reasoning', summary: ['hm'] },
        { type: 'commandExecution', command: 'ls' },
        { type: 'agentMessage', text: 'Done.' },
      ],
    },
    null,
    {},
  ];
  expect(threadMessages(turns)).toEqual([
    { who: 'Prompt', text: 'Do it.' },
    { who: 'Command', text: 'ls' },
    { who: 'Agent', text: 'Done.' },
  ]);
  expect(threadMessages(undefined)).toEqual([]);
});
