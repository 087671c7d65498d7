/** A line that a merge left: as git wrote it, in a table, or as a formatter spells the closing one. */
const MARKER = /^(\| *)?(<{7}|>{7}|\|{7})( |$)|^(> ){6}>( |$)/;

/** Numbers of the lines, from 1, that are conflict markers. */
export function conflictMarkers(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (MARKER.test(line) ? [index + 1] : []));
}
