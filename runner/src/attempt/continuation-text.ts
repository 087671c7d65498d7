/** What turn `turn` (from 2) of a thread is told: guidance only, the task is in the thread. */
export function continuationText(turn: number, maxTurns: number): string {
  return [
    `This is turn ${turn} of ${maxTurns} on this task. Your last turn ended without a status line.`,
    'Go on from the present state of the workspace; do not start over and do not repeat the task.',
    'When everything is done and checked, end your last message with the line `SWITCHYARD_STATUS: DONE`.',
    'Only when you truly cannot go on without a person, say what you need and end with the line `SWITCHYARD_STATUS: BLOCKED`.',
  ].join('\n');
}
