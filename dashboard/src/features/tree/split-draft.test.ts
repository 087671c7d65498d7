import { MAX_SUB_ISSUES as CONTRACT_MAX, SplitIssue } from '@switchyard/shared/api/issue-tree';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/api.ts';
import {
  addRow,
  afterHint,
  EMPTY_DRAFT,
  MAX_SUB_ISSUES,
  refusedRows,
  removeRow,
  rowsFrom,
  sentRows,
  type SplitDraft,
  splitRequest,
} from './split-draft.ts';

const row = (key: number, part: Partial<SplitDraft> = {}): SplitDraft => ({
  key,
  title: `Part ${key}`,
  description: '',
  after: '',
  ...part,
});

describe('the form of a split', () => {
  it('has the limit of the contract', () => expect(MAX_SUB_ISSUES).toBe(CONTRACT_MAX));

  it('sends what was typed, without what was left blank', () => {
    const rows = [
      row(1, { title: ' Parse ', description: ' \n' }),
      row(2, { description: 'With care.', after: 'sy-3;  #1, #1' }),
      row(3, { title: ' ' }),
      row(4, { title: '' }),
    ];
    const request = splitRequest(rows);
    expect(request).toEqual({
      subIssues: [
        { title: 'Parse' },
        { title: 'Part 2', description: 'With care.', blockedBy: ['SY-3', '#1'] },
      ],
    });
    expect(SplitIssue.parse(request)).toEqual(request);
  });

  it('sends an empty row only where it is the only one, or has others after it', () => {
    expect(sentRows([row(1, { title: '' })])).toHaveLength(1);
    expect(sentRows([row(1, { title: '' }), row(2)])).toHaveLength(2);
  });

  it('renumbers what refers to positions when a row is removed', () => {
    const rows = [
      row(1),
      row(2, { after: '#1' }),
      row(3, { after: '#2 SY-12,#4' }),
      row(4, { after: 'SY-2 ,  #1' }),
    ];
    expect(removeRow(rows, 1).map(({ after }) => after)).toEqual(['', 'SY-12, #3', 'SY-2 ,  #1']);
    expect(removeRow(rows, 0).map(({ after }) => after)).toEqual(['', '#1, SY-12, #3', 'SY-2']);
  });

  it('gives each new row a key of its own', () => {
    const rows = addRow(removeRow([row(1), row(2), row(3)], 0));
    expect(rows.map(({ key }) => key)).toEqual([2, 3, 4]);
  });

  it('names the rows that one waits for', () => {
    const rows = [row(1), row(2, { title: ' ' })];
    expect(afterHint(rows, '#1, SY-9')).toBe('Waits for #1 Part 1');
    expect(afterHint(rows, '#2, #7, SY-9')).toBe(undefined);
  });

  it('reads a stored draft, and begins anew where that is none', () => {
    const rows = [row(1), row(4, { description: 'Long', after: '#1' })];
    expect(rowsFrom(JSON.stringify(rows))).toEqual(rows);
    const [empty] = rowsFrom(EMPTY_DRAFT);
    expect(empty).toEqual(row(1, { title: '' }));
    for (const odd of ['', '{', '[]', '"x"', '[1, null]', JSON.stringify([row(1), row(1)])])
      expect(rowsFrom(odd)).toEqual([empty]);
    expect(rowsFrom('[{ "title": 1, "after": "#1" }]')).toEqual([
      row(1, { title: '', after: '#1' }),
    ]);
  });
});

describe('a refused split', () => {
  const refusal = (...paths: string[]) =>
    new ApiError(400, 'Not possible.', {
      body: {
        error: 'Not possible.',
        code: 'invalid_request',
        requestId: 'r',
        details: paths.map((path) => ({ path, message: `not ${path}` })),
      } as never,
    });

  it('is shown at the fields of the rows that were sent', () => {
    const error = refusal('subIssues.1.blockedBy', 'subIssues.1.blockedBy.0', 'subIssues.0.title');
    const sent = [row(7), row(9, { after: 'SY-99' })];
    const { fields, rest } = refusedRows(error, sent, sent.toReversed());
    expect([...fields]).toEqual([
      ['9.after', 'not subIssues.1.blockedBy'],
      ['7.title', 'not subIssues.0.title'],
    ]);
    expect(rest).toBe(null);
    // What was corrected is not refused, nor is another row that has got the same key.
    const corrected = [row(7), row(9, { after: 'SY-9' })];
    expect([...refusedRows(error, sent, corrected).fields.keys()]).toEqual(['7.title']);
    expect(refusedRows(error, sent, [row(7, { title: '' })])).toEqual({
      fields: new Map(),
      rest: null,
    });
  });

  it('is shown as a whole where a part of it belongs to no field', () => {
    for (const path of ['subIssues', 'subIssues.4.title', 'subIssues.0.labels']) {
      const error = refusal('subIssues.0.title', path);
      const { fields, rest } = refusedRows(error, [row(7)], [row(7)]);
      expect([...fields.keys()]).toEqual(['7.title']);
      expect(rest).toBe(error);
    }
    const unreachable = new Error('gone');
    expect(refusedRows(unreachable, [], [])).toEqual({ fields: new Map(), rest: unreachable });
  });
});
