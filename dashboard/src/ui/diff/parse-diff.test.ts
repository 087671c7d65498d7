import { describe, expect, it } from 'vitest';
import { modeLabel } from './mode-label.ts';
import { type DiffFile, parseDiff } from './parse-diff.ts';

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

  it('reads names in quotes, and what they hold that nobody sees', () => {
    const text = String.raw`diff --git "a/Auftr\303\244ge/a\"b.txt" "b/Auftr\303\244ge/a\"b.txt"
Binary files differ
diff --git a/plain b.txt "b/tab\there\n"
similarity index 100%
copy from plain b.txt
copy to "tab\there\n"
diff --git "a/caf\351" b/plain b/x
rename from "caf\351"
rename to plain b/x
diff --git "a/q\" b/x" "b/q\" b/x"
--- "a/q\" b/x"	
+++ "b/q\" b/x"	
@@ -1 +1 @@
-a
+b
`;
    expect(parseDiff(text).map(({ path, oldPath, change }) => [path, oldPath, change])).toEqual([
      ['Aufträge/a"b.txt', null, 'modified'],
      ['tab[U+0009]here[U+000A]', 'plain b.txt', 'copied'],
      ['plain b/x', 'caf\ufffd', 'renamed'],
      ['q" b/x', null, 'modified'],
    ]);
  });

  it('says what becomes of modes', () => {
    const file = (lines: string) => parseDiff(`diff --git a/x b/x\n${lines}\n`)[0] as DiffFile;
    const words = [
      'old mode 100644\nnew mode 100755',
      'old mode 100755\nnew mode 100644',
      'new file mode 100755',
      'new file mode 100644',
      'deleted file mode 120000',
      'new file mode 160000',
      'index 1..2 100755',
    ].map((lines) => modeLabel(file(lines)));
    const [gains, loses] = ['now executable', 'no longer executable'];
    expect(words).toEqual([gains, loses, 'executable', null, 'symbolic link', 'submodule', null]);
  });

  it('finds nothing in nothing', () => {
    expect(parseDiff('')).toEqual([]);
  });
});
