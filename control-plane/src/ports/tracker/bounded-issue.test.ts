import { expect, it } from 'vitest';
import { boundedIssue } from './bounded-issue.ts';
import { newIssueRow } from './issue-row.ts';
import type { TrackerIssue } from './tracker.ts';

const ISSUE: TrackerIssue = {
  id: 'i',
  identifier: 'ENG-1',
  title: 'Fix it',
  description: 'Soon',
  priority: 1,
  state: 'Todo',
  branchName: 'fix',
  url: 'https://t.example/1',
  labels: ['a'],
  blockedBy: [{ id: 'b', identifier: 'ENG-2', state: 'Done', terminal: true }],
  assigneeId: null,
  createdAtMs: 0,
  updatedAtMs: 0,
  nativeRef: null,
};
const MEGABYTE = 'x'.repeat(1_048_576);

it('leaves an issue as people write them', () => expect(boundedIssue(ISSUE)).toEqual(ISSUE));

it('keeps little of an issue without end, whatever its tracker lets through', () => {
  const blocker = { id: 'b', identifier: 'ENG-2', state: 'Done', terminal: true };
  const row = newIssueRow('linear', {
    ...ISSUE,
    title: MEGABYTE.repeat(10),
    description: MEGABYTE,
    state: MEGABYTE,
    branchName: MEGABYTE,
    url: `https://t.example/${MEGABYTE}`,
    labels: Array.from({ length: 100_000 }, (_, at) => `label ${at}`),
    blockedBy: [
      ...Array.from({ length: 10_000 }, () => blocker),
      { ...blocker, id: 'open', terminal: false },
    ],
  });
  expect(JSON.stringify(row).length).toBeLessThan(250_000);
  expect(row.blocked_by[0]).toMatchObject({ id: 'open' });
  expect(row.dispatchable).toBe(false);
});

it('keeps what a database can hold', () => {
  const { title, labels } = boundedIssue({ ...ISSUE, title: 'a\u0000b', labels: ['\ud800'] });
  expect([title, ...labels]).toEqual(['a\ufffdb', '\ufffd']);
});
