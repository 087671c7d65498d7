import { expect, it } from 'vitest';
import { conflictMarkers } from './conflict-markers.ts';

/** Spelled so that this file has none itself. */
const [OURS, BASE, THEIRS] = ['<', '|', '>'].map((sign) => sign.repeat(7));

it('finds the markers of a merge, also of one with the base shown', () => {
  const text = `one\n${OURS} HEAD\na\n${BASE} 1234567\nb\n=======\nc\n${THEIRS} other\n`;
  expect(conflictMarkers(text)).toEqual([2, 4, 8]);
});

it('finds them where a formatter has made them part of a table or a quotation', () => {
  expect(conflictMarkers(`| ${OURS} HEAD     |\n\n> > > > > > > a616c86 (fix)\n`)).toEqual([1, 3]);
});

it('leaves text alone that only looks like them', () => {
  const text = `Heading\n=======\n<<<<<< six\nprintf '${OURS} HEAD'\n> > a quotation in another\n`;
  expect(conflictMarkers(text)).toEqual([]);
});
