/** Place of an issue's priority in an order: 1 is the most urgent, 4 the least; others come last. */
export function priorityRank(priority: number | null): number {
  return priority !== null && priority >= 1 && priority <= 4 ? priority : 5;
}
