import { describe, expect, it } from 'vitest';
import { readReview } from './read-review.ts';

const block = (value: unknown, language = 'json') =>
  `\`\`\`${language}\n${JSON.stringify(value, null, 2)}\n\`\`\``;
const finding = { severity: 'must', path: 'src/a.ts', line: 3, text: 'It divides by zero.' };

describe('a review in the last message of an agent', () => {
  it('is read from the block of JSON that ends it', () => {
    const text = `I read it all.\n\n${block({ verdict: 'request_changes', summary: 'Not yet.', findings: [finding] })}`;
    expect(readReview(text)).toEqual({
      verdict: 'changes_requested',
      summary: 'Not yet.',
      findings: [finding],
      leftOut: 0,
    });
  });

  it('is the last one: what the message quotes before it does not count', () => {
    const quoted = block({ verdict: 'request_changes', summary: 'An example.' });
    const own = block({ verdict: 'approve', summary: 'Fine.' });
    expect(readReview(`${quoted}\n\n${own}`)?.verdict).toBe('approved');
    const code = '~~~ts\nconst x = 1;\n~~~';
    expect(readReview(`${own}\n\n${code}`)?.verdict).toBe('approved');
    expect(readReview(`${own}\n\n${block({ some: 'thing' })}`)).toBeNull();
  });

  it('may stand in a block without a language, and hold fences of its own', () => {
    const text = 'Write:\n```ts\na();\n```';
    const own = { verdict: 'approve', summary: 'Ok', findings: [{ severity: 'should', text }] };
    expect(readReview(block(own, ''))?.findings).toEqual([
      { severity: 'should', path: null, line: null, text },
    ]);
  });

  it('asks for changes when it approves although something must change', () => {
    const text = block({ verdict: 'approve', summary: 'Ok', findings: [finding] });
    expect(readReview(text)?.verdict).toBe('changes_requested');
    const many = Array.from({ length: 60 }, () => ({ ...finding, severity: 'should' }));
    const late = block({ verdict: 'approve', summary: '', findings: [...many, finding] });
    expect(readReview(late)).toMatchObject({ verdict: 'changes_requested', leftOut: 11 });
  });

  it('keeps what it can of findings that are not as asked for', () => {
    const text = 'Too long.';
    const findings = [
      { severity: 'nit', path: 7, line: 'x', text },
      { severity: 'should', path: 'a.ts', line: 0, text },
      { severity: 'must', path: 'a.ts', line: 1, text: ' ' },
    ];
    const read = readReview(block({ verdict: 'approve', summary: 'Ok', findings }));
    expect(read).toMatchObject({ verdict: 'approved', leftOut: 0 });
    expect(read?.findings).toEqual([
      { severity: 'should', path: null, line: null, text },
      { severity: 'should', path: 'a.ts', line: null, text },
    ]);
  });

  it('is bounded, and without characters that nobody sees', () => {
    const long = 'x'.repeat(9_000);
    const findings = [{ severity: 'should', path: `a\nb\u202E${long}`, line: null, text: long }];
    const read = readReview(block({ verdict: 'approve', summary: `\u0000${long}`, findings }));
    expect(read?.summary.length).toBe(8_000);
    expect(read?.findings[0]?.path).toMatch(/^a bx+…$/);
    expect(read?.findings[0]?.path?.length).toBe(500);
    expect(read?.findings[0]?.text.length).toBe(4_000);
  });

  it.each([
    ['no block', 'I approve this.'],
    ['an open block', '```json\n{"verdict":"approve","summary":""}'],
    ['broken JSON', '```json\n{"verdict":\n```'],
    ['another verdict', block({ verdict: 'maybe', summary: 'x' })],
    ['changes asked for without a word', block({ verdict: 'request_changes', summary: ' ' })],
    ['a list', block([{ verdict: 'approve' }])],
  ])('is not read from %s', (_name, text) => {
    expect(readReview(text)).toBeNull();
  });
});
