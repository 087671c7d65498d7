import { expect, it } from 'vitest';
import { asHunkData, placeOf } from './as-hunk-data.ts';
import { parseDiff } from './parse-diff.ts';

it('gives the viewer every line with its numbers, and says where a comment belongs', () => {
  const [file] = parseDiff('@@ -3,2 +3,2 @@ f()\n keep\n-old\n+new\n\\ No newline at end of file');
  const hunk = asHunkData(file?.hunks[0] ?? { header: '', lines: [] });
  expect(hunk).toMatchObject({ content: '@@ -3,2 +3,2 @@ f()', oldStart: 3, newStart: 3 });
  expect(hunk).toMatchObject({ oldLines: 2, newLines: 2 });
  expect(hunk.changes.map((change) => [change.type, change.content, placeOf(change)])).toEqual([
    ['normal', 'keep', { side: 'new', line: 3 }],
    ['delete', 'old', { side: 'old', line: 4 }],
    ['insert', 'new', { side: 'new', line: 4 }],
  ]);
});
