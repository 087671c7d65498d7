import { plural } from './format-count.ts';

type Part = { terminal: boolean };

/** How many of an issue's sub-issues have ended, as a text too; null: it has none. */
export function subIssueProgress(parts: readonly Part[]) {
  if (parts.length === 0) return null;
  const ended = parts.filter(({ terminal }) => terminal).length;
  const { length: total } = parts;
  return { ended, total, text: `${ended} of ${plural(total, 'sub-issue')} ended` };
}
