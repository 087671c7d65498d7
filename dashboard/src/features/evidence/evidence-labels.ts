import type { AttemptEvidence, EvidenceQuestion } from '@switchyard/shared/api/attempt-evidence';
import { actorText, type Reader } from '@switchyard/shared/reasons/act-of-person';
import { plural } from '../../format/format-count.ts';

/** The runner's limits for an attempt's files, as text. */
export const FILE_LIMITS = 'up to 20 files, each up to 5 MiB, together up to 20 MiB';

export function hasFiles({ files, filesLeftOut }: AttemptEvidence): boolean {
  return files.length > 0 || filesLeftOut > 0;
}

/** Whether the evidence consists only of a single attempt. */
export function isEmptyEvidence(evidence: AttemptEvidence): boolean {
  const { outsideScope, attemptCount, usage, questionCount } = evidence;
  const isPlain = outsideScope === null && attemptCount < 2 && questionCount === 0;
  return isPlain && usage.tokens === 0 && !hasFiles(evidence);
}

/** Why some files cannot be viewed; null: there are none. */
export function leftOutText({ filesLeftOut }: AttemptEvidence): string | null {
  if (filesLeftOut === 0) return null;
  return `${plural(filesLeftOut, 'more file was', 'more files were')} not kept: a runner keeps ${FILE_LIMITS}.`;
}

/** Who answered a question, and a note where the answer is hidden. */
export function answeredText(asked: EvidenceQuestion, reader: Reader): string {
  const { answer, answeredBy } = asked;
  if (answeredBy === null) return answer === null ? 'Not answered' : 'Answered';
  const by = `by ${actorText(answeredBy, reader)}`;
  return answer === null ? `Answered ${by}; the answer is a secret` : `Answered ${by}`;
}

/** The line before a list of the newest items, about earlier ones; null: there are none. */
export function earlierText(count: number, shown: number, one: string): string | null {
  const earlier = count - shown;
  return earlier > 0 ? `${plural(earlier, `earlier ${one}`)} not listed` : null;
}
