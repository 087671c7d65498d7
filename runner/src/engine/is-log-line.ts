/** A line of a program's own log: its time, and how grave it is. */
const LOG_LINE =
  /^\s*\[?\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+(?:TRACE|DEBUG|INFO|WARN|ERROR)\b/;

/** Whether an engine wrote it for its log and not for whoever reads why it ended. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line);
}
