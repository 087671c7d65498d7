import { statusLabel } from '@switchyard/shared/reasons/attempt-status';
import type { IssueTree } from '@switchyard/shared/api/issue-tree';
import { terminalText } from '../options/command-context.ts';
import { tableText } from './table-text.ts';

/** The tree of an issue, one line for each issue below the one that it is a part of. */
export function treeText({ issues, more }: IssueTree): string {
  const ended = issues.filter(({ terminal }) => terminal).length;
  const rows = issues.map(({ identifier, depth, state, status, title }) => [
    `${'  '.repeat(depth)}${identifier}`,
    state,
    statusLabel(status),
    terminalText(title),
  ]);
  return [
    `tree of ${issues.length}${more ? ' or more' : ''} issues, ${ended} ended:`,
    tableText(['ISSUE', 'STATE', 'STATUS', 'TITLE'], rows),
  ].join('\n');
}
