export const PALETTE_LIST_ID = 'palette-list';

/** Functions of the palette's list for its field. */
export type ListHandle = { move: (by: number) => void; run: () => void };
