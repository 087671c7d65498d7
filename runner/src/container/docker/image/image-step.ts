import { cutText } from '@switchyard/shared/text/cut-text';

/** One step of providing the sandbox image, as it begins. A failure is an `ImageFailed`. */
export type ImageStep =
  /** Waits because another process of this machine provides the same image. */
  | { kind: 'waiting' }
  | { kind: 'packages'; text: string }
  | { kind: 'context' }
  /** Step `number` of `total` of the Dockerfile. */
  | { kind: 'build'; number: number; total: number; text: string }
  /** A line of output of a step of the Dockerfile. */
  | { kind: 'output'; text: string }
  | { kind: 'pull'; text: string; percent: number | null }
  | { kind: 'done'; image: string; made: boolean };

/** Limit on a line of build output. */
export const MAX_STEP_CHARS = 300;

/** A step as one line for people. */
export function stepText(step: ImageStep): string {
  switch (step.kind) {
    case 'waiting':
      return 'another process of this machine provides the image; waiting for it';
    case 'packages':
      return step.text;
    case 'context':
      return 'sending the build context to the daemon';
    case 'build':
      return `build step ${step.number} of ${step.total}: ${step.text}`;
    case 'output':
      return `  ${step.text}`;
    case 'pull':
      return step.percent === null ? step.text : `${step.text} (${step.percent} %)`;
    case 'done':
      return step.made ? `image ${step.image} is ready` : `image ${step.image} is present`;
  }
}

/** Percentage that is done before this step; null when not known. */
export function stepPercent(step: ImageStep): number | null {
  if (step.kind === 'build') return Math.floor((100 * (step.number - 1)) / step.total);
  return step.kind === 'pull' ? step.percent : null;
}

/** A line of build output without terminal escapes, truncated. */
export function shortLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').trim();
  return cutText(plain, MAX_STEP_CHARS, '…');
}
