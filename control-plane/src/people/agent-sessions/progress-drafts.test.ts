import type { StreamEvent } from '@switchyard/shared/api/work/attempt';
import { expect, it } from 'vitest';
import { progressDrafts } from './progress-drafts.ts';

const event = (item: object, state = 'ended'): StreamEvent => ({
  seq: 1,
  type: 'attempt.event',
  at: '2026-01-01T00:00:00.000Z',
  data: { kind: 'item', payload: { state, itemId: 'i', item } },
});
const message = (text: string) => event({ type: 'message', text });
const command = (text: string) => event({ type: 'command', command: text, exitCode: 0 });

it('tells the last message and the last action, in their order', () => {
  const events = [message('a'), command('ls'), message('b'), command('npm\n test')];
  expect(progressDrafts(events)).toEqual([
    { content: { type: 'thought', body: 'b' } },
    {
      content: { type: 'action', action: 'Ran', parameter: 'npm test', result: 'exit code 0' },
      ephemeral: true,
    },
  ]);
  expect(progressDrafts(events.toReversed()).map(({ content }) => content.type)).toEqual([
    'action',
    'thought',
  ]);
});

it('tells what was said as Markdown in which nothing acts', () => {
  const said = '# Plan\n\n[x](https://linear.app/a/profiles/ada) @ada ![](https://a.example/b.png)';
  expect(progressDrafts([message(said)])).toEqual([
    {
      content: {
        type: 'thought',
        body: '#### Plan\n\nx (`https://linear.app/a/profiles/\u200bada`) @\u200bada `https://a.example/b.png`',
      },
    },
  ]);
});

it('names changed files, and leaves out what is not over, invisible or the final word', () => {
  const changes = [{ path: 'a.ts' }, { path: 'b.ts' }];
  expect(progressDrafts([event({ type: 'file_change', changes })])).toMatchObject([
    { content: { action: 'Changed', parameter: 'a.ts, b.ts' } },
  ]);
  const nothing = [
    event({ type: 'message', text: 'soon' }, 'started'),
    event({ type: 'command', command: 'npm test', status: 'interrupted' }),
    message('\u200b'),
    message('Done.\nSWITCHYARD_STATUS: DONE'),
    event({ type: 'reasoning', text: 'hm' }),
  ];
  expect(progressDrafts(nothing)).toEqual([]);
});
