import { engineOperations } from './engine-operations.ts';
import { issueOperations } from './issue-operations.ts';
import type { Operation } from './operation.ts';
import { recordOperations } from './record-operations.ts';
import { setUpOperations } from './set-up-operations.ts';

/** Every operation of the interface's tables, in their order. */
export const operations: readonly Operation[] = [
  ...issueOperations,
  ...setUpOperations,
  ...recordOperations,
  ...engineOperations,

  // Docs and spec
  { method: 'GET', path: '/api/v1/openapi.json', expect: [200], badQueries: ['version=2.0'] },
  { method: 'GET', path: '/api/docs', expect: [200] },
];
