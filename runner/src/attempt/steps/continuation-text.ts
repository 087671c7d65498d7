import { cutText } from '@switchyard/shared/text/cut-text';

/**
 * The text of turn `turn` (from 2) of a thread: guidance only, since the thread contains the task.
 */
export function continuationText(turn: number, maxTurns: number): string {
  return [
    `This is turn ${turn} of ${maxTurns} on this task. Your last turn ended without a status line.`,
    'Go on from the present state of the workspace; do not start over and do not repeat the task.',
    'When everything is done and checked, end your last message with the line `SWITCHYARD_STATUS: DONE`.',
    'Only when you truly cannot go on without a person, say what you need and end with the line `SWITCHYARD_STATUS: BLOCKED`.',
  ].join('\n');
}

/** A first message, followed by notices about the workspace. */
export function withNotices(text: string, notices: readonly string[] = []): string {
  if (notices.length === 0) return text;
  const lines = notices.map((notice) => `- ${notice}`);
  return [text, '', '---', 'About this workspace:', '', ...lines].join('\n');
}

const MAX_SUMMARY_CHARS = 8_000;

/**
 * The task for a thread that replaces a full one: with the state of the work and the last message.
 */
export function freshThreadText(prompt: string, lastMessage: string | null): string {
  const lastSection =
    lastMessage === null
      ? []
      : ['', 'Its last words:', '', cutText(lastMessage, MAX_SUMMARY_CHARS)];
  return [
    prompt,
    '',
    '---',
    'An earlier conversation about this task became too long for the model and was closed. Its work is',
    'in the workspace: read `git status`, `git log` and `git diff` first and go on from there. Do not',
    'start over, and read large files and outputs in parts.',
    ...lastSection,
  ].join('\n');
}
