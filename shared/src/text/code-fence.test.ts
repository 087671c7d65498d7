import { describe, expect, it } from 'vitest';
import { codeFence, codeSpan } from './code-fence.ts';

describe('text between fences', () => {
  it('cannot end them', () => {
    expect(codeFence('a\n```\n`````\nb')).toBe('``````text\na\n```\n`````\nb\n``````');
    expect(codeSpan('`a``')).toBe('``` `a`` ```');
  });

  it('does not grow with its own backticks', () => {
    const text = '`'.repeat(10_000);
    expect(codeFence(`a${text}b`).length).toBeLessThan(200);
    expect(codeSpan(text).length).toBeLessThan(200);
    expect(codeFence(`${'x'.repeat(5_000)}${text}`).length).toBeLessThan(5_200);
  });
});
