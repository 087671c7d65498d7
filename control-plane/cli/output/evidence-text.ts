import type { AttemptEvidence, EvidenceFile } from '@switchyard/shared/api/attempt-evidence';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { namesText } from '@switchyard/shared/text/units/names-text';

const MAX_LINE_CHARS = 500;
const SHOWN_PATHS = 5;
const INDENT = ' '.repeat(9);

/**
 * The evidence of an attempt's work as lines for a terminal, without attempts and usage, which are
 * printed with the issue; empty where there is nothing else. Paths, questions and answers are
 * untrusted. `serviceUrl` is the base of the files' addresses.
 */
export function evidenceText(evidence: AttemptEvidence, serviceUrl: string): string {
  const lines = [
    ...changesLines(evidence),
    ...questionLines(evidence),
    ...filesLines(evidence, serviceUrl),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function changesLines({ changes, outsideScope }: AttemptEvidence): string[] {
  const lines: string[] = [];
  if (changes !== null) {
    const { files, insertions, deletions } = changes;
    lines.push(`changes  ${counted(files, 'file')} (+${insertions} −${deletions})`);
  }
  if (outsideScope?.files === 0) lines.push('outside  no file outside the declared scope');
  else if (outsideScope !== null) {
    const { files, paths } = outsideScope;
    const named = namesText(paths.slice(0, SHOWN_PATHS).map(shown), files);
    lines.push(`outside  ${counted(files, 'file')} outside the declared scope: ${named}`);
  }
  return lines;
}

function questionLines({ questions, questionCount }: AttemptEvidence): string[] {
  if (questionCount === 0) return [];
  const newest = questionCount > questions.length ? ', the newest:' : ':';
  return [
    `asked    ${counted(questionCount, 'question')}${newest}`,
    ...questions.flatMap((one) => [
      `${INDENT}? ${shown(one.question)}`,
      `${INDENT}  ${answerMessage(one)}`,
    ]),
  ];
}

function answerMessage({ answer, answeredBy }: AttemptEvidence['questions'][number]): string {
  const by = answeredBy === null ? null : shown(answeredBy);
  if (answer === null)
    return by === null ? 'not answered' : `answered by ${by}; the answer is a secret`;
  return `${shown(answer)}${by === null ? '' : ` (${by})`}`;
}

function filesLines({ files, filesLeftOut }: AttemptEvidence, serviceUrl: string): string[] {
  if (files.length === 0 && filesLeftOut === 0) return [];
  const more = filesLeftOut === 0 ? '' : `, ${filesLeftOut} more not kept`;
  return [
    `files    ${files.length === 0 ? 'none' : files.length} left for review${more}`,
    ...files.flatMap((file) => fileLines(file, serviceUrl)).map((line) => `${INDENT}${line}`),
  ];
}

/** Lines for a file that an agent left: its description, and its address below. */
export function fileLines({ path, bytes, url }: EvidenceFile, serviceUrl: string): string[] {
  return [`${shown(path)} (${formatBytes(bytes)})`, `${serviceUrl}${shown(url)}`];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function shown(text: string): string {
  return cutText(plainLine(text), MAX_LINE_CHARS, '…');
}
