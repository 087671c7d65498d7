import type { AttemptCheck } from '@switchyard/shared/checks/attempt-check';
import type { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import {
  PARTLY_SCRIPTED_SUFFIX,
  PARTLY_SCRIPTED_WORK,
  SCRIPTED_SUFFIX,
  SCRIPTED_WORK,
} from '@switchyard/shared/model-providers/scripted-model';
import { inertMarkdown, inertQuote } from '@switchyard/shared/markdown/inert-markdown';
import { codeFence } from '@switchyard/shared/text/code-fence';
import { inertReferences, inertText } from '@switchyard/shared/text/inert-text';
import { plainLine, plainText } from '@switchyard/shared/text/plain-text';
import { cutText } from '@switchyard/shared/text/cut-text';
import { checksText, failedChecksNote } from './checks-text.ts';
import { type EvidenceDetail, evidenceText } from './evidence-text.ts';

/** A code host's limit of a title. */
const MAX_TITLE_CHARS = 256;
/** Code hosts take less than 65,536. The summary has the room that its other parts leave. */
const MAX_BODY_CHARS = 65_000;
const MAX_SUMMARY_CHARS = 20_000;
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_PROBLEMS_CHARS = 5_000;

export type PullRequestTextInput = {
  issue: { identifier: string; title: string; description: string | null; url: string | null };
  /** The agent's last message, if it left one. */
  summary: string | null;
  /** `url` leads to the attempt's page, where this service has an address people can open. */
  attempt: { number: number; url: string | null };
  /** True when the work was published unfinished. */
  draft: boolean;
  /** How much of it a scripted model made; left out: nothing. */
  onTrial?: 'whole' | 'part' | null;
  /** What is wrong with unfinished work as it stands, in words that name its files. */
  problems?: readonly string[];
  /** Declared checks of the attempt, and the commit that is delivered; left out: none are declared. */
  checks?: readonly AttemptCheck[];
  commitSha?: string;
  /** How the work was made, and what is told of it. */
  evidence?: { told: AttemptEvidence; detail: EvidenceDetail; origin: string | null };
};

const TRIAL_NOTES = {
  whole: { mark: SCRIPTED_SUFFIX, text: `> **Trial without a model.** ${SCRIPTED_WORK}` },
  part: {
    mark: PARTLY_SCRIPTED_SUFFIX,
    text: `> **Partly a trial without a model.** ${PARTLY_SCRIPTED_WORK}`,
  },
};

/**
 * Title and Markdown body of a pull request: what its host does not show beside them anyway. Text by the agent or from the tracker is shown as the
 * Markdown it is, and nothing in it acts. Merges make it a commit's message, where Markdown means
 * nothing: its code is inert as well.
 */
export function pullRequestText(input: PullRequestTextInput): { title: string; body: string } {
  const { issue, summary, attempt, draft, onTrial = null, problems = [], checks = [] } = input;
  const name = link(issue.identifier, issue.url);
  const subject = cutText(plainLine(issue.title), MAX_TITLE_CHARS, '…');
  const description = issue.description?.trim() ?? '';
  const before = [
    ...(onTrial === null ? [] : [TRIAL_NOTES[onTrial].text]),
    ...(draft ? draftNotes(checks) : []),
    ...(problems.length === 0 ? [] : [problemsText(problems)]),
    ...(description === '' ? [] : [inertQuote(description, { maxChars: MAX_DESCRIPTION_CHARS })]),
  ];
  const after = [
    ...(checks.length === 0 ? [] : [checksText(checked(input), input.commitSha ?? '')]),
    ...(input.evidence === undefined
      ? []
      : [evidenceText(input.evidence.told, { ...input.evidence, page: attempt.url })]),
    `---\n\nSwitchyard, ${link(`attempt ${attempt.number}`, attempt.url)} of ${name}.`,
  ];
  const room = MAX_BODY_CHARS - [...before, ...after].join('\n\n').length;
  const sections = [...before, summaryText(summary, room), ...after];
  const title = `${issue.identifier}: ${inertReferences(subject)}`;
  const mark = onTrial === null ? '' : TRIAL_NOTES[onTrial].mark;
  const cut = cutText(title, MAX_TITLE_CHARS - mark.length, '…');
  return { title: cut + mark, body: `${sections.join('\n\n')}\n` };
}

/** Work that is ready has the files that were checked, though its commit may be another. */
function checked({ checks = [], commitSha, draft }: PullRequestTextInput): AttemptCheck[] {
  return checks.map((check) =>
    draft || commitSha === undefined || check.commitSha === null ? check : { ...check, commitSha },
  );
}

/** Whose checks failed may well have been done. */
function draftNotes(checks: readonly AttemptCheck[]): string[] {
  const note = failedChecksNote(checks);
  return note === null
    ? ['> Delivered as a draft, before the agent was done.']
    : [note, '> Delivered as a draft.'];
}

function summaryText(summary: string | null, room: number): string {
  const text = inertMarkdown(summary ?? '', { maxChars: Math.min(room, MAX_SUMMARY_CHARS) });
  return `## Summary\n\n${text === '' ? 'The agent left no summary.' : text}`;
}

/** A person who publishes it wants to see it all the same. */
function problemsText(problems: readonly string[]): string {
  const words = '> **It cannot be merged as it is**: its repository is not in order.';
  const text = cutText(plainText(problems.join('\n')), MAX_PROBLEMS_CHARS, '…');
  return `${words}\n\n${codeFence(inertText(text))}`;
}

/** A link where the url is a web address or a path of this service; else the bare text. */
function link(text: string, url: string | null): string {
  if (url === null || !/^(https?:\/\/|\/(?!\/))/i.test(url)) return text;
  const target = url.replaceAll(/[\s<>\\\p{Cc}]/gu, (char) => encodeURIComponent(char));
  return `[${text}](<${target}>)`;
}
