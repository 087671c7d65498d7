import type { PullRequest } from '@switchyard/shared/api/work/pull-request';
import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { ago } from './mock-time.ts';

const BODY = `Signatures were compared with \`===\`, which tells an attacker how many bytes were right. They are compared with \`timingSafeEqual\` now, after a check of the length.

## What changed

1. \`verifySignature\` takes bytes, not text
2. A signature of the **wrong length** is refused before anything is compared

| Case | Before | Now |
| --- | --- | --- |
| right | 200 | 200 |
| wrong length | 500 | 401 |

\`\`\`js
if (given.length !== expected.length) return false;
return timingSafeEqual(given, expected);
\`\`\`

- [x] Tests: 41 passed, 0 failed
- [ ] Rotate the secret, see [the notes](https://example.org/notes)

![diagram](https://example.org/diagram.png) <img src=x onerror=alert(1)>`;

export const pullRequests: PullRequest[] = [
  ['pr-5', 5, 'Retry uploads that break off half way', 'SY-10', 'open'],
  ['pr-4', 4, 'Validate webhook signatures in constant time', 'SY-8', 'open'],
  ['pr-3', 3, 'Fix the flaky login test', 'SY-5', 'merged'],
].map(([id, number, title, issueIdentifier, status]) => ({
  id: String(id),
  number: Number(number),
  codeHost: 'local',
  repositoryUrl: 'file:///srv/git/app.git',
  branch: `switchyard/${String(issueIdentifier).toLowerCase()}`,
  base: 'main',
  commitSha: '8c1f0d2ab9e4',
  title: String(title),
  draft: false,
  status: status as PullRequest['status'],
  body: BODY,
  mergeCommitSha: status === 'merged' ? '1f2e3d4c5b6a7988' : null,
  url: `/pull-requests/${String(id)}`,
  diffStat: { files: 2, insertions: 14, deletions: 3 },
  issueIdentifier: String(issueIdentifier),
  attemptId: 'att',
  createdAt: ago(111),
  updatedAt: ago(20),
}));

export const routes: RepoRoute[] = [
  { prefix: 'SY-', url: 'file:///srv/git/app.git', default_branch: 'main' },
  { label: 'docs', url: 'https://example.org/team/handbook.git' },
];

export const DIFF = `diff --git a/src/duration.js b/src/duration.js
index 3c1a9f0..8c1f0d2 100644
--- a/src/duration.js
+++ b/src/duration.js
@@ -1,14 +1,17 @@
 const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1_000 };
 
 /** Reads \`1h30m\`, \`90m\` or \`45s\`; anything else is a RangeError. */
 export function parseDuration(text) {
-  const match = /^(?:(\\d+)h)?(?:(\\d+)m)?$/.exec(text);
-  if (match === null) throw new RangeError(text);
-  return Number(match[2] ?? 0) * UNITS_MS.m;
+  const parts = text.trim().matchAll(/(\\d+)\\s*([hms])/g);
+  let totalMs = 0;
+  for (const [, count, unit] of parts) {
+    totalMs += Number(count) * UNITS_MS[unit];
+  }
+  return totalMs;
 }
 
 export function formatDuration(ms) {
   return \`\${Math.round(ms / UNITS_MS.m)}m\`;
 }
diff --git a/test/duration.test.js b/test/duration.test.js
new file mode 100644
index 0000000..b1946ac
--- /dev/null
+++ b/test/duration.test.js
@@ -0,0 +1,7 @@
+import assert from 'node:assert/strict';
+import { test } from 'node:test';
+import { parseDuration } from '../src/duration.js';
+
+test('hours and minutes add up', () => {
+  assert.equal(parseDuration('1h30m'), 5_400_000);
+});
`;
