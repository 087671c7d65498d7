import type {
  AttemptEvidence,
  EvidenceFile,
  EvidenceQuestion,
} from '@switchyard/shared/api/attempt-evidence';
import { inertLine, inertQuote } from '@switchyard/shared/markdown/inert-markdown';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { namesText } from '@switchyard/shared/text/units/names-text';
import { costText } from '@switchyard/shared/usage/cost-text';
import { inertSpan } from './inert-span.ts';

const MAX_NAME_CHARS = 100;
const MAX_PATHS_SHOWN = 10;
const MAX_QUESTIONS_SHOWN = 10;
const MAX_QUOTED_CHARS = 500;
/**
 * Limit on all quoted questions and answers together, in characters. The newest are kept, and older
 * ones that do not fit are left out.
 */
const MAX_QUOTES_CHARS = 4_000;

export type EvidenceDetail = 'brief' | 'full';

/**
 * The section of a pull request about how its work was made, from facts of the runner and the
 * control plane. `full` adds usage, questions and answers. `origin` is this service's address for
 * people; null: files are only named. `page` is linked as well, because a sign-in breaks a direct
 * link to a file. All texts are inert.
 */
export function evidenceText(
  evidence: AttemptEvidence,
  { detail, origin, page }: { detail: EvidenceDetail; origin: string | null; page: string | null },
): string {
  const isFull = detail === 'full';
  const facts = [
    changesText(evidence),
    ...outsideText(evidence),
    ...(evidence.attemptCount > 1 ? [counted(evidence.attemptCount, 'attempt')] : []),
    ...questionText(evidence),
    ...(isFull ? [usageText(evidence)] : []),
    ...fileLines(evidence, { origin, page }),
  ];
  const list = facts.map((fact) => `- ${fact}`).join('\n');
  return ['## How it was made', list, ...(isFull ? dialogue(evidence.questions) : [])].join('\n\n');
}

/** One line about the size, attempts and questions of the work; null when nothing was changed. */
export function evidenceLine(evidence: AttemptEvidence): string | null {
  const { outsideScope, attemptCount, questions, files } = evidence;
  if (evidence.changes === null || evidence.changes.files === 0) return null;
  const outside = outsideScope?.files ?? 0;
  const answered = questions.filter(isAnswered).length;
  const took = [
    ...(attemptCount > 1 ? [counted(attemptCount, 'attempt')] : []),
    ...(answered > 0 ? [`${counted(answered, 'question')} answered`] : []),
    ...(files.length > 0 ? [`${counted(files.length, 'file')} left for review`] : []),
  ].join(', ');
  const scope = outside === 0 ? '' : `, ${outside} outside the declared scope`;
  return `${sizeText(evidence.changes)}${scope}.${took === '' ? '' : ` ${took}.`}`;
}

function changesText({ changes, outsideScope }: AttemptEvidence): string {
  if (changes === null) return 'No changes were handed in';
  return sizeText(changes) + (outsideScope?.files === 0 ? ', all within the declared scope' : '');
}

function sizeText({ files, insertions, deletions }: NonNullable<AttemptEvidence['changes']>) {
  return `${counted(files, 'file')} changed (+${insertions} −${deletions})`;
}

function outsideText({ outsideScope }: AttemptEvidence): string[] {
  if (outsideScope === null || outsideScope.files === 0) return [];
  const { files, paths } = outsideScope;
  const names = paths.slice(0, MAX_PATHS_SHOWN).map((path) => inertSpan(path, MAX_NAME_CHARS));
  const what = `${counted(files, 'file')} ${files === 1 ? 'is' : 'are'} outside the declared scope`;
  return [names.length === 0 ? what : `${what}: ${namesText(names, files)}`];
}

function questionText({ questions, questionCount }: AttemptEvidence): string[] {
  if (questionCount === 0) return [];
  const answered = questions.filter(isAnswered).length;
  const asked = `${counted(questionCount, 'question')} asked`;
  if (questionCount <= questions.length) return [`${asked}, ${answered} answered`];
  const verb = answered === 1 ? 'was' : 'were';
  return [`${asked}; of the newest ${questions.length}, ${answered} ${verb} answered`];
}

function isAnswered({ answeredBy }: EvidenceQuestion): boolean {
  return answeredBy !== null;
}

function usageText({ usage }: AttemptEvidence): string {
  const cost = costText(usage);
  return counted(usage.tokens, 'token') + (cost === null ? '' : `, ${cost}`);
}

function fileLines(
  { files, filesLeftOut }: AttemptEvidence,
  { origin, page }: { origin: string | null; page: string | null },
): string[] {
  const lines = [
    ...files.map((file) => fileText(file, origin)),
    ...(filesLeftOut === 0 ? [] : [`${filesLeftOut} more, beyond the limits, were not kept`]),
  ];
  if (lines.length === 0) return [];
  const shown = page === null ? '' : `, [shown together](<${page}>)`;
  return [[`Files that the agent left for review${shown}:`, ...lines].join('\n  - ')];
}

function fileText({ path, bytes, url }: EvidenceFile, origin: string | null): string {
  const name = inertSpan(path, MAX_NAME_CHARS);
  return `${origin === null ? name : `[${name}](<${origin}${url}>)`} (${formatBytes(bytes)})`;
}

/** The newest questions and answers that fit, in their order. */
function dialogue(questions: readonly EvidenceQuestion[]): string[] {
  let leftChars = MAX_QUOTES_CHARS;
  const shown: string[] = [];
  for (const question of questions.toReversed().slice(0, MAX_QUESTIONS_SHOWN)) {
    const text = exchange(question);
    leftChars -= text.length;
    if (leftChars < 0) break;
    shown.unshift(text);
  }
  return shown;
}

function exchange({ question, answer, answeredBy }: EvidenceQuestion): string {
  const asked = `Question:\n\n${quote(question)}`;
  if (answeredBy === null) return `${asked}\n\nNobody answered.`;
  const by = `Answered by ${inertLine(answeredBy, MAX_NAME_CHARS)}`;
  return `${asked}\n\n${answer === null ? `${by}; the answer is a secret.` : `${by}:\n\n${quote(answer)}`}`;
}

function quote(text: string): string {
  return inertQuote(text, { maxChars: MAX_QUOTED_CHARS, headingLevel: 4 });
}

/** A count with its noun as text: `1 file`, `1,234 files`. */
function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
