import { describe, expect, it } from 'vitest';
import { fieldAt, type Row, type RowField, rowFromTexts, textInRow } from './row-fields.ts';

const FIELDS: RowField[] = [
  { path: 'name', label: 'Name', kind: 'name' },
  { path: 'labels', label: 'Labels', kind: 'lines' },
  { path: 'graceMs', label: 'Grace', kind: 'minutes' },
  { path: 'priority', label: 'Priority', kind: 'number' },
  { path: 'enabled', label: 'Enabled', kind: 'switch' },
  { path: 'condition.gauge', label: 'Gauge', kind: 'choice', isExclusive: true },
  {
    path: 'condition.event',
    label: 'Event',
    kind: 'name',
    isExclusive: true,
    appliesTo: (textAt) => textAt('condition.gauge') === '',
  },
  { path: 'title', label: 'Title', kind: 'text', appliesTo: () => false },
];
const ROW: Row = {
  name: 'nightly',
  ofLater: { version: 2 },
  labels: ['chore', 'deps'],
  graceMs: 90_001,
  enabled: true,
  condition: { event: 'attempt.ended', ofLater: true },
  title: 'Kept',
};

/** Saves the form of the entry after these texts were typed. */
function saved(typed: Record<string, string>, row = ROW): Row {
  const field = (path: string) => FIELDS.find((each) => each.path === path);
  return rowFromTexts(FIELDS, row, (path) => {
    const known = field(path);
    return typed[path] ?? (known === undefined ? '' : textInRow(known, row));
  });
}

describe('an entry of a list after its form', () => {
  it('is the same where nothing was typed, to the last digit and in its order', () => {
    expect(JSON.stringify(saved({}))).toBe(JSON.stringify(ROW));
  });

  it('has what was typed, and keeps what the form does not know', () => {
    const typed = {
      name: ' weekly ',
      labels: 'one\n\n two ',
      graceMs: '1.5',
      priority: '0',
      enabled: 'false',
      'condition.event': 'issue.failed',
    };
    expect(saved(typed)).toEqual({
      ...ROW,
      name: 'weekly',
      labels: ['one', 'two'],
      graceMs: 90_000,
      priority: 0,
      enabled: false,
      condition: { event: 'issue.failed', ofLater: true },
    });
  });

  it('leaves out what was emptied, so that its default counts', () => {
    expect(saved({ labels: '', graceMs: ' ' })).toEqual({
      name: 'nightly',
      ofLater: { version: 2 },
      enabled: true,
      condition: { event: 'attempt.ended', ofLater: true },
      title: 'Kept',
    });
  });

  it('loses what excludes another value, and only that', () => {
    const { condition, title } = saved({ 'condition.gauge': 'queue_age_ms' });
    expect(condition).toEqual({ gauge: 'queue_age_ms', ofLater: true });
    expect(title).toBe('Kept');
  });

  it('is refused at the field that the service names, or at the first below it', () => {
    expect(fieldAt(FIELDS, 'labels.1')).toBe('labels');
    expect(fieldAt(FIELDS, 'condition')).toBe('condition.gauge');
    expect(fieldAt(FIELDS, 'label')).toBeNull();
  });
});
