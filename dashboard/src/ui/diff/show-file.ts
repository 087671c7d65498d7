/** Where the file at this place of a difference stands on the page. */
export const fileElementId = (position: number) => `diff-file-${position}`;

/** Goes to the file at this place of the difference, and opens it. */
export function showFile(position: number): void {
  const file = document.getElementById(fileElementId(position));
  if (!(file instanceof HTMLDetailsElement)) return;
  file.open = true;
  file.scrollIntoView({ block: 'start' });
  file.querySelector('summary')?.focus({ preventScroll: true });
}

/** Place of the file in which the focus is; -1: in none of so many. */
export function focusedFile(count: number): number {
  const file = document.activeElement?.closest('.diff-file')?.querySelector('details');
  const ids = Array.from({ length: count }, (_, position) => fileElementId(position));
  return ids.indexOf(file?.id ?? '');
}

/** Moves from the `+` of a line to that of the next or the one before. */
export function stepLine(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (by === undefined || !(target instanceof HTMLElement)) return;
  if (!target.matches('.line-comment') || !(currentTarget instanceof Element)) return;
  const all = [...currentTarget.querySelectorAll<HTMLElement>('.line-comment')];
  all[all.indexOf(target) + by]?.focus();
  event.preventDefault();
}
