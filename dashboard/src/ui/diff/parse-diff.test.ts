import { describe, expect, it } from 'vitest';
import { parseDiff } from './parse-diff.ts';

const DIFF = `diff --git a/src/a.js b/src/a.js
index 1..2 100644
--- a/src/a.js
+++ b/src/a.js
@@ -1,3 +1,3 @@ function a() {
 keep
--- looks like a header
+++ so does this
 keep too
@@ -10 +10,2 @@
 x
+y
\\ No newline at end of file
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/pic.png b/pic.png
new file mode 100644
Binary files /dev/null and b/pic.png differ
`;

describe('a unified diff', () => {
  const files = parseDiff(DIFF);

  it('names every file and what happened to it', () => {
    expect(files.map((file) => [file.path, file.change, file.binary])).toEqual([
      ['src/a.js', 'modified', false],
      ['new.txt', 'renamed', false],
      ['gone', 'deleted', false],
      ['pic.png', 'added', true],
    ]);
    expect(files[1]?.oldPath).toBe('old.txt');
  });

  it('numbers lines on both sides and is not fooled by content that looks like a header', () => {
    const [first, second] = files[0]?.hunks ?? [];
    expect(
      first?.lines.map((line) => [line.kind, line.oldNumber, line.newNumber, line.text]),
    ).toEqual([
      ['same', 1, 1, 'keep'],
      ['del', 2, null, '-- looks like a header'],
      ['add', null, 2, '++ so does this'],
      ['same', 3, 3, 'keep too'],
    ]);
    expect(second?.lines.map((line) => line.kind)).toEqual(['same', 'add', 'note']);
    expect([files[0]?.additions, files[0]?.deletions]).toEqual([2, 1]);
  });

  it('shows the hunks of a fragment without headers', () => {
    expect(parseDiff('@@ -1 +1 @@\n-a\n+b')).toMatchObject([
      { path: '', additions: 1, deletions: 1 },
    ]);
  });

  it('shows a file under its own path, whatever its folders are called', () => {
    const binary = 'Binary files /dev/null and b/x differ';
    const path = 'evil b/README.md';
    const text = `diff --git a/${path} b/${path}\nnew file mode 100644\n${binary}\n`;
    expect(parseDiff(text)).toMatchObject([{ path, change: 'added' }]);
  });

  it('writes out what nobody sees, so that code is what it looks like', () => {
    const [file] = parseDiff("@@ -1 +1 @@\n+if (a !== 'user\u202e\u2066') {");
    expect(file?.hunks[0]?.lines[0]?.text).toBe("if (a !== 'user[U+202E][U+2066]') {");
  });

  it('finds nothing in nothing', () => {
    expect(parseDiff('')).toEqual([]);
  });
});
