import { cutText } from '@switchyard/shared/text/cut-text';

/** How far git is with one of its steps. */
export type GitProgress = { step: string; percent: number };

const STEPS = ['Receiving objects', 'Resolving deltas'];
const OWN_LINE = new RegExp(`^(${STEPS.join('|')}): +(\\d{1,3})% \\(`);
const NO_REASONS = [
  /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking) (?:objects|deltas): .*(?:\n|$)/gm,
  // What a fetch says of refs that went well.
  /^From \S+(?:\n|$)/gm,
  /^ [ *+t=-] .*(?:\n|$)/gm,
];
/** Lines of progress are short; what is longer is none. */
const MAX_LINE_CHARACTERS = 500;

/** A listener for git's standard error that tells each change of its own steps, not the remote's. */
export function readProgress(tell: (progress: GitProgress) => void): (chunk: Buffer) => void {
  let rest = '';
  let told = '';
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split(/[\r\n]/);
    rest = cutText(lines.pop() ?? '', MAX_LINE_CHARACTERS);
    for (const line of lines) {
      const [, step, percent] = OWN_LINE.exec(line) ?? [];
      const words = `${step} ${percent}`;
      if (step === undefined || words === told) continue;
      told = words;
      tell({ step: step.toLowerCase(), percent: Math.min(100, Number(percent)) });
    }
  };
}

/** What is left to say why something failed. */
export function withoutProgress(words: string): string {
  return NO_REASONS.reduce((text, pattern) => text.replaceAll(pattern, ''), words);
}
