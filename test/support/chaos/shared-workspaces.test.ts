import type { Attempt } from '@switchyard/shared/api/work/attempt';
import { expect, it } from 'vitest';
import { sharedWorkspaces } from './shared-workspaces.ts';

const attempt = (attemptId: string, number: number) => ({ attemptId, number }) as Attempt;
const issues = [
  { identifier: 'SY-1', attempts: [attempt('att_2', 2), attempt('att_1', 1), attempt('att_3', 3)] },
];
const seen = (lastOfFirstMs: number) =>
  new Map([
    ['att_1', { firstMs: 100, lastMs: lastOfFirstMs }],
    ['att_3', { firstMs: 500, lastMs: 600 }],
  ]);

it('finds a later attempt of an issue that was seen before the earlier one was gone', () => {
  expect(sharedWorkspaces(issues, seen(500))).toEqual([]);
  expect(sharedWorkspaces(issues, seen(501))).toEqual(['SY-1: att_3 ran while att_1 still did']);
});
