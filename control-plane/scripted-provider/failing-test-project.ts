/**
 * Files by path of a small project with two bugs and failing tests: the repository of the demo and
 * of tests.
 */
export const failingTestProject: Record<string, string> = {
  'package.json': `{
  "name": "tidy-durations",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': `# tidy-durations

Turns a number of seconds into text that people like to read.

    formatDuration(3725) // '1 h 2 min 5 s'
`,
  'src/format-duration.js': `const UNITS = [
  { name: 'h', seconds: 3600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
];

export function formatDuration(totalSeconds) {
  let rest = totalSeconds;
  const parts = [];
  for (const { name, seconds } of UNITS) {
    const count = Math.round(rest / seconds);
    rest -= count * seconds;
    if (count > 0) parts.push(\`\${count} \${name}\`);
  }
  return parts.join(' ');
}
`,
  'test/format-duration.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from '../src/format-duration.js';

test('whole units', () => {
  assert.equal(formatDuration(3600), '1 h');
  assert.equal(formatDuration(120), '2 min');
});

test('mixed units', () => {
  assert.equal(formatDuration(3725), '1 h 2 min 5 s');
  assert.equal(formatDuration(5399), '1 h 29 min 59 s');
});

test('zero', () => {
  assert.equal(formatDuration(0), '0 s');
});
`,
};

/** The issue that goes with it. */
export const failingTestIssue = {
  title: 'Durations just under a full unit come out wrong',
  description: `\`formatDuration(5399)\` should say \`1 h 29 min 59 s\`, but it rounds up to two hours and loses the rest. \`formatDuration(0)\` says nothing at all.

The tests describe what is expected: \`node --test\` fails today. Please make it pass.`,
};

/** Where the demo's route has the agent leave files for people. */
export const reportFolder = 'test-results';

/** What repairs it, in the form of the apply_patch tool. */
export const failingTestFix = `*** Begin Patch
*** Update File: src/format-duration.js
@@
-    const count = Math.round(rest / seconds);
+    const count = Math.floor(rest / seconds);
     rest -= count * seconds;
     if (count > 0) parts.push(\`\${count} \${name}\`);
   }
-  return parts.join(' ');
+  return parts.join(' ') || '0 s';
 }
*** End Patch`;
