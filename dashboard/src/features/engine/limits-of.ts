export type ShownLimit = { name: string; usedPercent: number; resetsAt: string | null };

/** Usage windows in an engine's report of its limits: every object with a used share. */
export function limitsOf(value: unknown, name = ''): ShownLimit[] {
  if (typeof value !== 'object' || value === null) return [];
  const given = value as Record<string, unknown>;
  const used = given['usedPercent'];
  if (typeof used === 'number') return [{ name, usedPercent: used, resetsAt: resetOf(given) }];
  return Object.entries(given).flatMap(([key, inner]) =>
    limitsOf(inner, name === '' ? key : `${name} ${key}`),
  );
}

/** The reset time; engines report epoch seconds. */
function resetOf(given: Record<string, unknown>): string | null {
  const seconds = given['resetsAt'];
  return typeof seconds === 'number' ? new Date(seconds * 1_000).toISOString() : null;
}
