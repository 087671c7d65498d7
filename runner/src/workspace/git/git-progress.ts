import { cutText } from '@switchyard/shared/text/cut-text';

/** Progress of git within one of its steps. */
export type GitProgress = { step: string; percent: number };

const STEPS = ['Receiving objects', 'Resolving deltas'];
const OWN_LINE = new RegExp(`^(${STEPS.join('|')}): +(\\d{1,3})% \\(`);
const NO_REASONS = [
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking) (?:objects|deltas): .*(?:\n|$)/gm,
  // Lines of a fetch about successfully updated refs.
  /^From \S+(?:\n|$)/gm,
  /^ [ *+t=-] .*(?:\n|$)/gm,
];
/** Lines of progress are short; a longer line is none. */
const MAX_LINE_CHARACTERS = 500;

/**
 * Creates a listener for git's standard error that reports each change of git's own steps, not the
 * remote's.
 */
export function readProgress(tell: (progress: GitProgress) => void): (chunk: Buffer) => void {
  let rest = '';
  let reported = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split(/[\r\n]/);
    rest = cutText(lines.pop() ?? '', MAX_LINE_CHARACTERS);
    for (const line of lines) {
      const [, step, percent] = OWN_LINE.exec(line) ?? [];
      const state = `${step} ${percent}`;
      if (step === undefined || state === reported) continue;
      reported = state;
      tell({ step: step.toLowerCase(), percent: Math.min(100, Number(percent)) });
    }
  };
}

/** The text without progress lines, to explain a failure. */
export function withoutProgress(output: string): string {
  return NO_REASONS.reduce((text, pattern) => text.replaceAll(pattern, ''), output);
}

/** Throttles calls: passes on the first after each `everyMs`, and none of what ends earlier. */
export function throttleProgress(
  monotonicMs: () => number,
  everyMs: number,
  listener: (progress: GitProgress) => void,
): (progress: GitProgress) => void {
  let nextMs = monotonicMs() + everyMs;
  return (progress) => {
    const nowMs = monotonicMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + everyMs;
    listener(progress);
  };
}
