import { describe, expect, it } from 'vitest';
import { ruleHint } from './rule-fields.ts';

const CONFIG = { notifications: { channels: [{ name: 'team-chat' }, { name: 'pager' }] } };

describe('what the form of an alert rule says below a field', () => {
  const hint = ruleHint(CONFIG);
  const said = (path: string, texts: Record<string, string>) =>
    hint(path, (field) => texts[field] ?? '');

  it('names the channels that do not exist', () => {
    expect(said('channels', { channels: 'pager\n\n team-chat ' })).toBeUndefined();
    expect(said('channels', { channels: '' })).toBeUndefined();
    expect(said('channels', { channels: 'pager\nnobody\nno-one' })).toBe(
      'There is no channel nobody, no-one: nothing is sent there.',
    );
  });

  it('says that there is no such event', () => {
    const path = 'condition.event';
    expect(said(path, { [path]: '' })).toBeUndefined();
    expect(said(path, { [path]: ' runner.draining ' })).toBeUndefined();
    expect(said(path, { [path]: 'no.such.event' })).toBe(
      'There is no event of the type no.such.event: the rule never fires.',
    );
  });

  it('says of a threshold when no value is on its other side', () => {
    const side = 'condition.comparison';
    const always = 'Nothing is less than that, so the rule fires each time that it is looked at.';
    expect(said('threshold', { threshold: '3', [side]: 'at_least' })).toBeUndefined();
    expect(said('threshold', { threshold: '', [side]: 'at_least' })).toBeUndefined();
    expect(said('threshold', { threshold: '-3', [side]: 'at_least' })).toBe(always);
    expect(said('threshold', { threshold: '0', [side]: 'at_least' })).toBe(always);
    expect(said('threshold', { threshold: '0', [side]: 'at_most' })).toBeUndefined();
    expect(said('threshold', { threshold: '-1', [side]: 'at_most' })).toBe(
      'Nothing is that small, so the rule never fires.',
    );
  });
});
