/**
 * Patterns of a sparse checkout as `git sparse-checkout set --cone` writes them: each folder with
 * its content, and the files of the folders above.
 */
export function sparseText(paths: readonly string[]): string {
  const whole = [...new Set(paths)]
    .filter((path) => !paths.some((other) => path.startsWith(`${other}/`)))
    .toSorted();
  const above = new Set(whole.flatMap(ancestors));
  const lines = [
    '/*',
    '!/*/',
    ...[...above].toSorted().flatMap((path) => [`/${path}/`, `!/${path}/*/`]),
    ...whole.map((path) => `/${path}/`),
  ];
  return `${lines.join('\n')}\n`;
}

function ancestors(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
