/** One attack, what stopped it, and whether it works where that is missing. */
export type Row = { attempt: string; stoppedBy: string; event: string; control?: 'succeeded' };

/** Prints what was tried, for people. */
export function printTable(rows: readonly Row[]): void {
  const cells = [
    ['attempt', 'what stopped it', 'event', 'without its guard'],
    ...rows.map(({ attempt, stoppedBy, event, control }) => [
      attempt,
      stoppedBy,
      event,
      control ?? 'not run',
    ]),
  ];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  process.stdout.write(`\n${lines.join('\n')}\n\n${rows.length} attempts, 0 succeeded\n`);
}
