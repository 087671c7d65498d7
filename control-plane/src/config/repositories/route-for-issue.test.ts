import { describe, expect, it } from 'vitest';
import { routeForIssue } from './route-for-issue.ts';

const routes = [
  { prefix: 'SY', url: 'https://h/short' },
  { prefix: 'SY-', url: 'https://h/sy' },
  { label: 'Docs', url: 'https://h/docs' },
  { label: 'web', url: 'https://h/web' },
];

function url(identifier: string, labels: string[] = []): string | null {
  return routeForIssue({ identifier, labels }, routes)?.url ?? null;
}

describe('routeForIssue', () => {
  it('asks labels before prefixes', () => {
    expect(url('SY-1', ['docs '])).toBe('https://h/docs');
    expect(url('SY-1', ['other'])).toBe('https://h/sy');
  });

  it('takes the first label route in list order', () => {
    expect(url('SY-1', ['web', 'docs'])).toBe('https://h/docs');
  });

  it('takes the longest prefix, whatever the order', () => {
    expect(url('sy-12')).toBe('https://h/sy');
    expect(url('SYS-12')).toBe('https://h/short');
  });

  it('answers null when nothing matches', () => {
    expect(url('AB-1', ['x'])).toBeNull();
  });
});
