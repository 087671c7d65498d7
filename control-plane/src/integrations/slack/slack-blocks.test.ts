import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../chat/chat.ts';
import { escapeMrkdwn, mrkdwnLink } from './mrkdwn.ts';
import { slackBlocks } from './slack-blocks.ts';

const message = (changes: Partial<ChatMessage> = {}): ChatMessage => ({
  title: 'Agent failed',
  severity: 'critical',
  text: 'It broke',
  issue: {
    identifier: 'SY-1',
    title: 'Fix it',
    state: 'Todo',
    url: 'https://tracker.example/SY-1',
  },
  details: [{ label: 'Attempt', value: '2' }],
  links: [{ label: 'Open', url: 'https://switchyard.example/issues/SY-1' }],
  ...changes,
});

describe('a chat message', () => {
  it('has a header, the issue, what happened, details and links', () => {
    const { text, blocks } = slackBlocks(message());
    expect(text).toBe('Agent failed: SY-1 – It broke');
    expect(blocks.map((block) => block.type)).toEqual([
      'header',
      'section',
      'section',
      'section',
      'context',
    ]);
    expect(JSON.stringify(blocks)).toContain('<https://tracker.example/SY-1|SY-1>');
  });

  it('stays within the limits whatever it is given', () => {
    const long = '<&>'.repeat(20_000);
    const { text, blocks } = slackBlocks(
      message({
        title: long,
        text: long,
        issue: { identifier: long, title: long, state: long, url: `https://x.example/${long}` },
        details: Array.from({ length: 40 }, () => ({ label: long, value: long })),
        links: Array.from({ length: 2 }, () => ({ label: long, url: 'https://x.example/' })),
      }),
    );
    expect(text.length).toBeLessThanOrEqual(700);
    const lengths = (type: string) =>
      blocks
        .filter((block) => block.type === type)
        .flatMap((block) => {
          if ('elements' in block) return [block.elements.length];
          return 'fields' in block
            ? block.fields.map((field) => field.text.length)
            : [block.text.text.length];
        });
    expect(Math.max(...lengths('header'))).toBeLessThanOrEqual(150);
    expect(Math.max(...lengths('section'))).toBeLessThanOrEqual(3_000);
    expect(Math.max(...lengths('context'))).toBeLessThanOrEqual(10);
    expect(lengths('section').length).toBeLessThanOrEqual(2 + 10);
  });

  it('leaves out what is empty', () => {
    const bare = slackBlocks(message({ issue: null, details: [], links: [], text: ' ' }));
    expect(bare.blocks.map((block) => block.type)).toEqual(['header']);
  });
});

describe('text from strangers', () => {
  it('can call nobody, link nothing and hide nothing', () => {
    expect(escapeMrkdwn('<!channel> <@U1> a & b \u202egnp\u0000', 100)).toBe(
      '&lt;!channel&gt; &lt;@U1&gt; a &amp; b gnp',
    );
    expect(escapeMrkdwn('&&&&', 12)).toBe('&amp;&amp;…');
  });

  it('can be no address but http(s), and cannot leave its link', () => {
    expect(mrkdwnLink('javascript:alert(1)', 'x')).toBeNull();
    expect(mrkdwnLink('nonsense', 'x')).toBeNull();
    expect(mrkdwnLink('https://a.example/?q=1&r=<2>|3', 'a>b|c')).toBe(
      '<https://a.example/?q=1&amp;r=%3C2%3E%7C3|a&gt;b|c>',
    );
  });
});
