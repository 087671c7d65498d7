import { CreateLocalIssue } from '@switchyard/shared/api/work/local-issue';
import { describe, expect, it } from 'vitest';
import { issueFromForm } from './issue-from-form.ts';

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

describe('the new issue form', () => {
  it('sends only what was filled in', () => {
    const issue = issueFromForm(
      form({
        title: ' Fix it ',
        description: ' ',
        state: 'Todo',
        priority: '0',
        labels: '',
        blockedBy: '',
        parent: ' ',
      }),
    );
    expect(issue).toEqual({ title: 'Fix it', state: 'Todo' });
  });

  it('reads lists by commas and sends what the contract accepts', () => {
    const issue = issueFromForm(
      form({
        title: 'x',
        state: 'Backlog',
        priority: '1',
        labels: 'bug, needs review,bug,',
        blockedBy: 'sy-3 , SY-4',
        parent: ' sy-1',
      }),
    );
    expect(issue).toEqual({
      title: 'x',
      state: 'Backlog',
      priority: 1,
      labels: ['bug', 'needs review'],
      blockedBy: ['SY-3', 'SY-4'],
      parent: 'SY-1',
    });
    expect(CreateLocalIssue.parse(issue)).toEqual(issue);
  });
});
