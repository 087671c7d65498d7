/**
 * What the explorer's tables need on a phone, for which it brings no layout of its own: their cells
 * below each other, long words broken.
 */
export const NARROW = `@media (width < 600px) {
  table[role='presentation'],
  table[role='presentation'] :is(tbody, tr, td) {
    display: block;
    width: auto;
    max-width: none;
  }

  table[role='presentation'] td > div:first-of-type > div {
    justify-content: start !important;
    align-self: start;
  }

  td {
    overflow-wrap: anywhere;
  }
}`;
