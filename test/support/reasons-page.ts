import { actionFor } from '../../shared/src/reasons/explain-reason.ts';
import { REASON_CATALOGUE, type ReasonEntry } from '../../shared/src/reasons/reason-catalogue.ts';

const HEAD = `# Reasons

Why an issue, an attempt or a pause stands as it does: \`reason\` in the API says it in words, and
\`reasonCode\` names it for programs. Each code has one entry in
\`shared/src/reasons/reason-catalogue.ts\`, from which the dashboard, comments, notifications, the
command line and this page take their words. "Needs you" means that the issue stands there although
it has not stopped.

`;

/** `docs/reasons.md`, made from the catalogue. */
export function reasonsPage(): string {
  const rows = Object.entries(REASON_CATALOGUE).map(
    ([code, entry]) => `- \`${code}\`: ${entry.cause} ${whatToDo(entry)}`,
  );
  return `${HEAD}${rows.join('\n')}\n`;
}

function whatToDo({ next, action, person }: ReasonEntry): string {
  const entry = actionFor(action, 'ISSUE');
  const where = entry === null ? '' : ` (${entry.label}: \`${entry.command ?? entry.path}\`)`;
  return `${next}${where}${person === 'always' ? ' Needs you.' : ''}`;
}
