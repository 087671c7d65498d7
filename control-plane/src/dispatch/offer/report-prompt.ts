import { READS_ONLY } from '@switchyard/shared/model-providers/scripted-model';

/** The prompt of a read-only attempt: a Liquid template in strict mode. */
export const REPORT_PROMPT = `You look at the repository that is checked out in the current directory and report on it. You change nothing: ${READS_ONLY}, nothing is committed and nothing is pushed.

# {{ issue.title }}

{% if issue.description %}{{ issue.description }}{% else %}Report on the state of the repository.{% endif %}

## How to end
Your last message is the report: write it in Markdown, complete in itself, for a reader who sees nothing else. End it with one line and nothing after it:
- \`SWITCHYARD_STATUS: DONE\` when the report is complete.
- \`SWITCHYARD_STATUS: BLOCKED\` when you cannot make it. Say above it what you need.
`;
