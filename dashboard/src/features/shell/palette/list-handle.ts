export const PALETTE_LIST_ID = 'palette-list';

/** What the palette's list lets its field do with it. */
export type ListHandle = { move: (by: number) => void; run: () => void };
