/** Labels in the syntax of the text exposition, in the given order: `method="GET",status="200"`. */
export function seriesLabels(
  order: readonly string[],
  labels: Readonly<Record<string, string>>,
): string {
  return order.map((name) => `${name}="${escapeValue(labels[name] ?? '')}"`).join(',');
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
