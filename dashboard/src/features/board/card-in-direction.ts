type Direction = 'up' | 'down' | 'left' | 'right';

const LINK = '.card-link';

/** The card link in this direction from the focused one; without a focused one, the first card. */
export function cardInDirection(direction: Direction): HTMLElement | null {
  const columns = [...document.querySelectorAll<HTMLElement>('.column')]
    .map((column) => [...column.querySelectorAll<HTMLElement>(LINK)])
    .filter((links) => links.length > 0);
  const column = columns.findIndex((links) => links.includes(focusedLink() as HTMLElement));
  if (column < 0) return columns[0]?.[0] ?? null;
  const links = columns[column] ?? [];
  const row = links.indexOf(focusedLink() as HTMLElement);
  if (direction === 'down') return links[row + 1] ?? null;
  if (direction === 'up') return links[row - 1] ?? null;
  const beside = columns[column + (direction === 'right' ? 1 : -1)];
  return beside?.[Math.min(row, beside.length - 1)] ?? null;
}

/** Identifier of the issue whose card has the focus; null: none. */
export function focusedIdentifier(): string | null {
  return focusedLink()?.dataset['identifier'] ?? null;
}

function focusedLink(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>(LINK) ?? null;
}
