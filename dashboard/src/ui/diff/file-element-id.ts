/** Where the file at this place of a difference stands on the page. */
export const fileElementId = (position: number) => `diff-file-${position}`;
