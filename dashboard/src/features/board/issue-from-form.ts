import type { CreateLocalIssue, LocalState } from '@switchyard/shared/api/work/local-issue';
import { LOCAL_STATES } from '../../api/local-states.ts';

/** The new issue from a filled form; lists are separated by commas, blanks around are ignored. */
export function issueFromForm(form: FormData): CreateLocalIssue {
  const field = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const issue: CreateLocalIssue = { title: field('title') };
  const description = field('description');
  if (description !== '') issue.description = description;
  const state: LocalState | undefined = LOCAL_STATES.find((name) => name === field('state'));
  if (state !== undefined) issue.state = state;
  const priority = Number(field('priority'));
  if (priority > 0) issue.priority = priority;
  const labels = listOf(field('labels'));
  if (labels.length > 0) issue.labels = labels;
  const blockedBy = listOf(field('blockedBy')).map((identifier) => identifier.toUpperCase());
  if (blockedBy.length > 0) issue.blockedBy = blockedBy;
  const parent = field('parent').toUpperCase();
  if (parent !== '') issue.parent = parent;
  return issue;
}

function listOf(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}
