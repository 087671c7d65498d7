export const PALETTE_ASKED = 'switchyard:palette';

/** Opens the palette from elsewhere. */
export const askForPalette = () => document.dispatchEvent(new Event(PALETTE_ASKED));
