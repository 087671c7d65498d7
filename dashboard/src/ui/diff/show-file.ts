/** Id of the element with the file at this position of a diff. */
export const fileElementId = (position: number) => `diff-file-${position}`;

/** Scrolls to the file at this position of the diff, and expands it. */
export function showFile(position: number): void {
  const file = document.getElementById(fileElementId(position));
  if (!(file instanceof HTMLDetailsElement)) return;
  file.open = true;
  file.scrollIntoView({ block: 'start' });
  file.querySelector('summary')?.focus({ preventScroll: true });
}

/** Position of the file with the focus; -1: none of `count` files has it. */
export function focusedFile(count: number): number {
  const file = document.activeElement?.closest('.diff-file')?.querySelector('details');
  const ids = Array.from({ length: count }, (_, position) => fileElementId(position));
  return ids.indexOf(file?.id ?? '');
}

/** Moves the focus from a line's `+` to that of the next or previous line. */
export function stepLine(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (by === undefined || !(target instanceof HTMLElement)) return;
  if (!target.matches('.line-comment') || !(currentTarget instanceof Element)) return;
  const all = [...currentTarget.querySelectorAll<HTMLElement>('.line-comment')];
  all[all.indexOf(target) + by]?.focus();
  event.preventDefault();
}
