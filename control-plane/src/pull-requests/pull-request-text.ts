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

/** Code hosts' limit on a title. */
const MAX_TITLE_CHARS = 256;
/**
 * Code hosts accept less than 65,536 characters. The summary gets the space that other parts leave.
 */
const MAX_BODY_CHARS = 65_000;
const MAX_SUMMARY_CHARS = 20_000;
const MAX_DESCRIPTION_CHARS = 10_000;
const MAX_PROBLEMS_CHARS = 5_000;

export type PullRequestTextInput = {
  issue: { identifier: string; title: string; description: string | null; url: string | null };
  /** The agent's last message, if it left one. */
  summary: string | null;
  /** `url` is the attempt's page, if this service has an address that people can open. */
  attempt: { number: number; url: string | null };
  /** True when the work was published unfinished. */
  draft: boolean;
  /** How much of the work a trial's scripted model made; left out or null: nothing. */
  onTrial?: 'whole' | 'part' | null;
  /** Problems of unfinished work, for people, with the names of its files. */
  problems?: readonly string[];
  /** Declared checks of the attempt and the delivered commit; left out: none are declared. */
  checks?: readonly AttemptCheck[];
  commitSha?: string;
  /** The evidence that the text shows; left out: none. */
  evidence?: { facts: AttemptEvidence; detail: EvidenceDetail; origin: string | null };
};

const TRIAL_NOTES = {
  whole: { mark: SCRIPTED_SUFFIX, text: `> **Trial without a model.** ${SCRIPTED_WORK}` },
  part: {
    mark: PARTLY_SCRIPTED_SUFFIX,
    text: `> **Partly a trial without a model.** ${PARTLY_SCRIPTED_WORK}`,
  },
};

/**
 * Title and Markdown body of a pull request, without what its host shows anyway. Text by agents or
 * from the tracker keeps its Markdown but is inert. Its code is inert as well, because a merge
 * turns the body into a commit message.
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
      : [evidenceText(input.evidence.facts, { ...input.evidence, page: attempt.url })]),
    `---\n\nSwitchyard, ${link(`attempt ${attempt.number}`, attempt.url)} of ${name}.`,
  ];
  const room = MAX_BODY_CHARS - [...before, ...after].join('\n\n').length;
  const sections = [...before, summaryText(summary, room), ...after];
  const title = `${issue.identifier}: ${inertReferences(subject)}`;
  const mark = onTrial === null ? '' : TRIAL_NOTES[onTrial].mark;
  const cut = cutText(title, MAX_TITLE_CHARS - mark.length, '…');
  return { title: cut + mark, body: `${sections.join('\n\n')}\n` };
}

/**
 * Checks related to the delivered commit, whose files equal those that were checked even if its
 * hash differs.
 */
function checked({ checks = [], commitSha, draft }: PullRequestTextInput): AttemptCheck[] {
  return checks.map((check) =>
    draft || commitSha === undefined || check.commitSha === null ? check : { ...check, commitSha },
  );
}

/** The notes of a draft; failed checks do not mean that the agent was unfinished. */
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

/** A warning that the work cannot be merged, shown to people who publish it nonetheless. */
function problemsText(problems: readonly string[]): string {
  const warning = '> **It cannot be merged as it is**: its repository is not in order.';
  const text = cutText(plainText(problems.join('\n')), MAX_PROBLEMS_CHARS, '…');
  return `${warning}\n\n${codeFence(inertText(text))}`;
}

/** A link where the url is a web address or a path of this service; else the bare text. */
function link(text: string, url: string | null): string {
  if (url === null || !/^(https?:\/\/|\/(?!\/))/i.test(url)) return text;
  const target = url.replaceAll(/[\s<>\\\p{Cc}]/gu, (char) => encodeURIComponent(char));
  return `[${text}](<${target}>)`;
}
