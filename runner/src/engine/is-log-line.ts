/** Matches a line of a program's log, with time and level. */
const LOG_LINE =
  /^\s*\[?\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:TRACE|DEBUG|INFO|WARN|ERROR)\b/;

/** Whether a line belongs to an engine's log rather than to its error message. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line);
}
